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
 * Stands for a receiver: it takes every message and remembers it, unless it was told to fail. A
 * message that failed is tried again after {@link #BACKOFF}, so in a test only when that time was
 * let pass, or at {@link PosthornTest#retryAll}.
 */
public final class TestDestination {
  /** The pause after every failed attempt: so long that no test meets its end by accident. */
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

  /** What it took, in the order in which it came; without what it refused. */
  public synchronized MessageList received() {
    return new MessageList(
        "destination '" + name + "'",
        received.stream().map(message -> new Held(message, List.of())).toList(),
        payloads);
  }

  /** The next sends fail and may go better later: each of these messages is tried again. */
  public TestDestination failsNext(int sends) {
    return answersNext(
        sends, Outcome.failedByMessage(Reason.of("TEST_FAILURE", "the test said so")));
  }

  /** The next sends are refused for good: each of these messages is dead. */
  public TestDestination rejectsNext(int sends) {
    return answersNext(sends, Outcome.rejected(Reason.of(Reason.REJECTED, "the test said so")));
  }

  /** The next sends are answered with this. */
  public synchronized TestDestination answersNext(int sends, Outcome outcome) {
    for (int i = 0; i < sends; i++) {
      next.add(outcome);
    }
    return this;
  }

  /** It does not answer until {@link #comesBack}: everything waits and no attempt counts. */
  public synchronized TestDestination goesDown() {
    always = Outcome.unavailable(Reason.of(Reason.UNREACHABLE, "the test said so"));
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
    Outcome told = always != null ? always : next.poll();
    if (told == null || told instanceof Outcome.Sent) {
      received.add(message);
      return Outcome.SENT;
    }
    return told;
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
