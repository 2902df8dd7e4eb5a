package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.testkit.Oracle;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A destination that writes down what it gets. How it treats a message, the message's key says: see
 * {@link Keys}.
 */
final class RecordingConnector implements Connector {
  private final RelaySetup.Receiver receiver;
  private final Deliveries deliveries;
  private final CrashPlan plan;
  private final Set<UUID> failedOnce = ConcurrentHashMap.newKeySet();
  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(
          4,
          task -> {
            Thread thread = new Thread(task, "receiver");
            thread.setDaemon(true);
            return thread;
          });

  RecordingConnector(RelaySetup.Receiver receiver, Deliveries deliveries, CrashPlan plan) {
    this.receiver = receiver;
    this.deliveries = deliveries;
    this.plan = plan;
  }

  @Override
  public boolean serves(String type) {
    return receiver.code().contains(type);
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      int index = i;
      Message message = messages.get(i);
      long micros = ThreadLocalRandom.current().nextLong(1_000L * receiver.millis() + 1);
      threads.schedule(() -> deliver(message, index, answers), micros, TimeUnit.MICROSECONDS);
    }
  }

  private void deliver(Message message, int index, Answers answers) {
    plan.reached(Call.SEND, "before");
    Outcome outcome = receiver.reachable() ? outcome(message) : unreachable();
    deliveries.delivered(
        receiver.destination(),
        message.id().toString(),
        outcome.getClass().getSimpleName(),
        content(message));
    plan.reached(Call.SEND, "received");
    answers.answer(index, outcome);
    plan.reached(Call.SEND, "answered");
  }

  private Outcome outcome(Message message) {
    return switch (Keys.fate(message)) {
      case FINE -> Outcome.SENT;
      case FAILS_ONCE ->
          failedOnce.add(message.id())
              ? Outcome.failedByMessage(Reason.of("FLAKY", "the first time it fails"))
              : Outcome.SENT;
      case FAILS -> Outcome.failedByMessage(Reason.of("WEARY", "it fails every time"));
      case REJECTED -> Outcome.rejected(Reason.of("DOOMED", "it is refused"));
    };
  }

  private static Outcome unreachable() {
    return Outcome.unavailable(Reason.of("UNREACHABLE", "this relay has no way to get there"));
  }

  private static String content(Message message) {
    return message.type().equals(Oracle.TYPE)
        ? Oracle.line(message)
        : new String(message.payload(), UTF_8);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
