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
 * A consumer of the application with its own handlers, which run in {@link
 * PosthornTest#deliverAll}. A message whose handler failed is retried after {@link
 * TestDestination#BACKOFF}. In a test, that happens only if the test lets that time pass, or calls
 * {@link PosthornTest#retryAll}.
 */
public final class TestConsumer {
  private final String name;
  private final Payloads payloads;
  private final List<Consumer<Subscription>> settings = new ArrayList<>();
  private final List<Message> handled = new ArrayList<>();
  private final Deque<Supplier<RuntimeException>> next = new ArrayDeque<>();
  private @Nullable TestSource broker;
  private boolean ofApplication;

  TestConsumer(String name, Payloads payloads) {
    this.name = name;
    this.payloads = payloads;
  }

  // ---- settings, before the first test ----

  public <T> TestConsumer on(Class<T> event, EventHandler<? super T> handler) {
    return with(subscription -> subscription.on(event, failingIfAsked(handler)));
  }

  public TestConsumer on(String type, EventHandler<Message> handler) {
    return with(subscription -> subscription.on(type, failingIfAsked(handler)));
  }

  /** Applies more settings, for example {@code Subscription::latestWins}. */
  public TestConsumer with(Consumer<Subscription> setting) {
    settings.add(setting);
    return this;
  }

  /** Reads from a broker, which {@link #gets} stands for, instead of from this database's log. */
  public TestConsumer fromBroker() {
    broker = new TestSource();
    return this;
  }

  /** Makes it a consumer of the application's own handlers. */
  TestConsumer ofApplication() {
    ofApplication = true;
    return this;
  }

  /** The broker that it reads from instead of the log; null if it reads the log. */
  @Nullable TestSource broker() {
    return broker;
  }

  private <T> EventHandler<T> failingIfAsked(EventHandler<T> handler) {
    return (event, handling) -> {
      Supplier<RuntimeException> failure = nextFailure();
      if (failure != null) {
        throw failure.get();
      }
      handler.handle(event, handling);
    };
  }

  private synchronized @Nullable Supplier<RuntimeException> nextFailure() {
    return next.poll();
  }

  // ---- for a test ----

  public String name() {
    return name;
  }

  /** Returns the messages that were handled and committed, in order. */
  public synchronized MessageList handled() {
    return new MessageList(
        "consumer '" + name + "'",
        handled.stream().map(message -> new Held(message, List.of())).toList(),
        payloads);
  }

  /**
   * Puts these messages into the broker, in this order; the next {@link PosthornTest#deliverAll}
   * delivers them. Brokers may deliver twice: to test that, name a message twice.
   */
  public TestConsumer gets(Message... messages) {
    TestSource source = broker;
    if (source == null) {
      throw new IllegalStateException(
          "consumer '%s' reads this database's log: add messages to the outbox, or call fromBroker()."
              .formatted(name));
    }
    source.publish(messages);
    return this;
  }

  /** Lets the next calls of its handlers fail; these messages are retried. */
  public TestConsumer failsNext(int calls) {
    return next(calls, () -> new IllegalStateException("the test asked for it"));
  }

  /** Lets the next calls of its handlers reject their messages, which makes these dead letters. */
  public TestConsumer rejectsNext(int calls) {
    return next(calls, () -> new RejectedException(Reason.REJECTED, "the test asked for it"));
  }

  private synchronized TestConsumer next(int calls, Supplier<RuntimeException> failure) {
    if (ofApplication) {
      throw new IllegalStateException(
          "consumer '%s' has the application's own handlers, which a test cannot make fail: let something fail that they call."
              .formatted(name));
    }
    for (int i = 0; i < calls; i++) {
      next.add(failure);
    }
    return this;
  }

  // ---- for a run ----

  /** Sets one call per attempt, so that the test decides when the next one happens. */
  void subscribe(Bus bus) {
    Subscription subscription = bus.subscribe(name).tries(1).retry(TestDestination.RETRY);
    if (broker != null) {
      subscription.from(broker);
    }
    settings.forEach(setting -> setting.accept(subscription));
  }

  synchronized void handled(List<Message> messages) {
    handled.addAll(messages);
  }

  /** Returns what the broker still holds. */
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
