package io.posthorn.test;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.ServedDestination;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A stand-in for a receiver: it accepts and remembers every message, unless the test makes it fail.
 * A failed message is retried after {@link #BACKOFF}. In a test, that happens only if the test lets
 * that time pass, or calls {@link PosthornTest#retryAll}.
 */
public final class TestDestination {
  /** The pause after every failed attempt, long enough that no test waits for it by accident. */
  public static final Duration BACKOFF = Duration.ofMinutes(10);

  static final RetryPolicy RETRY =
      new RetryPolicy(BACKOFF, BACKOFF, 0, RetryPolicy.DEFAULT.attempts(), Duration.ofDays(1));

  private final String name;
  private final String[] types;
  private final Payloads payloads;
  private final List<Message> received = new ArrayList<>();
  private final Deque<Outcome> next = new ArrayDeque<>();
  private @Nullable Outcome always;

  TestDestination(String name, String[] types, Payloads payloads) {
    this.name = name;
    this.types = types;
    this.payloads = payloads;
  }

  public String name() {
    return name;
  }

  /** Returns the accepted messages in the order of their arrival, without the refused ones. */
  public synchronized MessageList received() {
    return new MessageList(
        "destination '" + name + "'",
        received.stream().map(message -> new MessageWithDeliveries(message, List.of())).toList(),
        payloads);
  }

  /** Lets the next sends fail; these messages are retried. */
  public TestDestination failsNext(int sends) {
    return answersNext(
        sends, Outcome.failedByMessage(Reason.of("TEST_FAILURE", "the test asked for it")));
  }

  /** Lets the next sends be rejected, which makes these messages dead letters. */
  public TestDestination rejectsNext(int sends) {
    return answersNext(
        sends, Outcome.rejected(Reason.of(Reason.REJECTED, "the test asked for it")));
  }

  /** Answers the next sends with this outcome. */
  public synchronized TestDestination answersNext(int sends, Outcome outcome) {
    for (int i = 0; i < sends; i++) {
      next.add(outcome);
    }
    return this;
  }

  /** Stops answering until {@link #comesBack}: all messages wait, and no attempt counts. */
  public synchronized TestDestination goesDown() {
    always = Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "the test asked for it"));
    return this;
  }

  public synchronized TestDestination comesBack() {
    always = null;
    return this;
  }

  synchronized void reset() {
    received.clear();
    next.clear();
    always = null;
  }

  Destination destination() {
    Destination.Builder builder = Destination.named(name, new Receiver()).retry(RETRY);
    return (types.length == 0 ? builder.allTypes() : builder.types(types)).build();
  }

  ServedDestination serving() {
    return new ServedDestination(
        name, types.length == 0 ? Set.of(ServedDestination.ALL_TYPES) : Set.of(types));
  }

  private synchronized Outcome take(Message message) {
    Outcome outcome = always != null ? always : next.poll();
    if (outcome == null || outcome instanceof Outcome.Sent) {
      received.add(message);
      return Outcome.SENT;
    }
    return outcome;
  }

  private final class Receiver implements Connector {
    @Override
    public void send(List<Message> messages, Answers answers) {
      for (int i = 0; i < messages.size(); i++) {
        answers.answer(i, take(messages.get(i)));
      }
    }

    @Override
    public boolean serves(String type) {
      return true;
    }

    @Override
    public void close() {}
  }
}
