package io.posthorn.test;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A consumer of the application, with its own handlers, which run in {@link
 * PosthornTest#deliverAll}. A message whose handler failed is tried again after {@link
 * TestDestination#BACKOFF}, so in a test only when that time was let pass, or at {@link
 * PosthornTest#retryAll}.
 */
public final class TestConsumer {
  private final String name;
  private final Payloads payloads;
  private final List<Consumer<Subscription>> choices = new ArrayList<>();
  private final List<Message> handled = new ArrayList<>();
  private final Deque<Supplier<RuntimeException>> next = new ArrayDeque<>();
  private @Nullable TestSource broker;

  TestConsumer(String name, Payloads payloads) {
    this.name = name;
    this.payloads = payloads;
  }

  // ---- to be said before the first test ----

  public <T> TestConsumer on(Class<T> event, EventHandler<? super T> handler) {
    return with(subscription -> subscription.on(event, failingIfTold(handler)));
  }

  public TestConsumer on(String type, EventHandler<Message> handler) {
    return with(subscription -> subscription.on(type, failingIfTold(handler)));
  }

  /** More choices, for example {@code Subscription::latestWins}. */
  public TestConsumer with(Consumer<Subscription> choice) {
    choices.add(choice);
    return this;
  }

  /** It does not read this database's log but a broker, for which {@link #gets} stands. */
  public TestConsumer fromBroker() {
    broker = new TestSource();
    return this;
  }

  private <T> EventHandler<T> failingIfTold(EventHandler<T> handler) {
    return (event, handling) -> {
      Supplier<RuntimeException> failure = told();
      if (failure != null) {
        throw failure.get();
      }
      handler.handle(event, handling);
    };
  }

  private synchronized @Nullable Supplier<RuntimeException> told() {
    return next.poll();
  }

  // ---- what a test does ----

  public String name() {
    return name;
  }

  /** What it handled, in this order, and it is committed. */
  public synchronized MessageList handled() {
    return new MessageList(
        "consumer '" + name + "'",
        handled.stream().map(message -> new Held(message, List.of())).toList(),
        payloads);
  }

  /**
   * The broker has these for it, in this order; the next {@link PosthornTest#deliverAll} hands them
   * over. Brokers may deliver twice: name a message twice.
   */
  public TestConsumer gets(Message... messages) {
    TestSource source = broker;
    if (source == null) {
      throw new IllegalStateException(
          "consumer '%s' reads this database's log: add messages to the outbox, or say fromBroker()."
              .formatted(name));
    }
    source.publish(messages);
    return this;
  }

  /** The next calls of its handlers fail and may go better later. */
  public TestConsumer failsNext(int calls) {
    return next(calls, () -> new IllegalStateException("the test said so"));
  }

  /** The next messages are refused for good: each of them is dead. */
  public TestConsumer rejectsNext(int calls) {
    return next(calls, () -> new RejectedException(Reason.REJECTED, "the test said so"));
  }

  private synchronized TestConsumer next(int calls, Supplier<RuntimeException> failure) {
    for (int i = 0; i < calls; i++) {
      next.add(failure);
    }
    return this;
  }

  // ---- for a run ----

  /** One call for each attempt, so that the test says when the next one is. */
  void subscribe(Bus bus) {
    Subscription subscription = bus.subscribe(name).tries(1).retry(TestDestination.RETRY);
    if (broker != null) {
      subscription.from(broker);
    }
    choices.forEach(choice -> choice.accept(subscription));
  }

  synchronized void handled(List<Message> messages) {
    handled.addAll(messages);
  }

  /** What the broker still has for it. */
  List<String> due() {
    return broker == null ? List.of() : broker.due();
  }

  synchronized void reset() {
    handled.clear();
    next.clear();
    if (broker != null) {
      broker.empty();
    }
  }
}
