package io.posthorn.core.relay;

import io.posthorn.core.connector.Classifier;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.store.Direction;
import io.posthorn.core.trace.Tracing;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Hands messages to the connector. Code of the application that is called here, such as a
 * connector, a cipher or a rule, cannot end the lane: an exception it throws becomes the message's
 * outcome.
 */
final class Sender {
  private final RelayContext context;
  private final Destination destination;
  private final LaneEngine engine;
  private final Mailbox mailbox;
  private final Tracing tracing;

  Sender(RelayContext context, Destination destination, LaneEngine engine, Mailbox mailbox) {
    this.context = context;
    this.destination = destination;
    this.engine = engine;
    this.mailbox = mailbox;
    // On the receiving side the handler has a span of its own.
    this.tracing = destination.direction() == Direction.IN ? Tracing.NONE : context.tracing();
  }

  /** Sends these messages by one call of the connector. */
  void send(List<TrackedDelivery> round, long now) {
    context.observer().on(new Event.Handed(destination.name(), round.size()));
    List<Message> messages = new ArrayList<>(round.size());
    List<Integer> attempts = new ArrayList<>(round.size());
    List<TrackedDelivery> opened = new ArrayList<>(round.size());
    for (TrackedDelivery tracked : round) {
      Message message = open(tracked, now);
      if (message != null) {
        int attempt = tracked.delivery.attempts() + 1;
        tracked.span = tracing.sending(destination.name(), message, attempt);
        messages.add(message.withTrace(tracked.span.context()));
        attempts.add(attempt);
        opened.add(tracked);
      }
    }
    if (!opened.isEmpty()) {
      callConnector(messages, attempts, opened, now);
    }
  }

  private void callConnector(
      List<Message> messages, List<Integer> attempts, List<TrackedDelivery> sending, long now) {
    Connector.Answers answers =
        (index, outcome) -> {
          // Checked on the caller's thread, so that a wrong answer fails where it is given.
          TrackedDelivery tracked = sending.get(index);
          Objects.requireNonNull(outcome, "outcome");
          if (outcome instanceof Outcome.Sent) {
            // Here, because a lane that is lost takes no answer in.
            context.observer().on(new Event.Confirmed(destination.name(), tracked.delivery));
          }
          mailbox.put(() -> engine.answer(tracked, now, outcome, context.ticker().nanoTime()));
        };
    try {
      destination.connector().send(messages, attempts, answers);
    } catch (Throwable e) {
      rethrowIfFatal(e);
      // A message that was answered already ignores this second answer.
      Outcome outcome = context.classifier().classify(e);
      for (int i = 0; i < sending.size(); i++) {
        answers.answer(i, outcome);
      }
    }
  }

  /** The message as the connector gets it; null if this program has answered it already. */
  private @Nullable Message open(TrackedDelivery tracked, long now) {
    Message message;
    try {
      message = engine.messageToSend(tracked);
    } catch (Throwable e) {
      rethrowIfFatal(e);
      Outcome outcome = undeciphered(e);
      mailbox.put(() -> engine.answer(tracked, outcome, now));
      return null;
    }
    Outcome unfit = unfit(message);
    if (unfit == null) {
      return message;
    }
    mailbox.put(() -> engine.answeredUnsent(tracked, now, unfit, now));
    return null;
  }

  /** Blames the message, unless the service that has the keys may be unavailable. */
  private static Outcome undeciphered(Throwable thrown) {
    Reason reason = Reason.of("CIPHER", thrown);
    boolean away =
        Classifier.DEFAULT.classify(thrown) instanceof Outcome.Failed failed && !failed.byMessage();
    return away ? Outcome.failed(reason) : Outcome.failedByMessage(reason);
  }

  private @Nullable Outcome unfit(Message message) {
    try {
      return destination.unfit(message).map(Outcome::rejected).orElse(null);
    } catch (Throwable e) {
      rethrowIfFatal(e);
      return context.classifier().classify(e);
    }
  }

  /** Such an error concerns the whole program and not one message. */
  private static void rethrowIfFatal(Throwable e) {
    if (e instanceof VirtualMachineError fatal && !(e instanceof StackOverflowError)) {
      throw fatal;
    }
  }
}
