package io.posthorn.core.bus;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.observe.SafeObserver;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import io.posthorn.core.trace.SafeTracing;
import io.posthorn.core.trace.Tracing;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Publishes events in your transactions and hands events to your handlers, each once in effect.
 *
 * <p>One program has one bus, with one relay: it delivers what is published, and hands to the
 * handlers what failed before. Which broker the events travel by, if any, is configuration.
 */
public final class Bus implements AutoCloseable {
  /** So long a handler may go on when the bus is closed; then it is interrupted. */
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  final Builder parts;
  final Observer observer;
  final Tracing tracing;
  private final Map<String, Subscription> subscriptions = new LinkedHashMap<>();
  private final List<RunningSubscription> running = new ArrayList<>();
  private @Nullable Relay relay;
  private boolean started;
  private volatile boolean closing;

  private Bus(Builder builder) {
    this.parts = builder;
    this.observer = SafeObserver.logging(builder.observer);
    this.tracing = SafeTracing.of(builder.tracing);
  }

  /** A bus of this database. */
  public static Builder on(
      InboxStore store, DataSource dataSource, Outbox outbox, MessageTypes types) {
    return new Builder(store, dataSource, outbox, types);
  }

  /**
   * Adds a message made from this event to the connection's running transaction. Inside a handler,
   * it follows from the message that is handled: correlation, causation and trace are set.
   */
  public void publish(Connection tx, Object event) {
    parts.outbox.add(tx, Handling.following(message(event)));
  }

  /** Starts a message from this event, to be completed and added to the outbox. */
  public Message.Builder message(Object event) {
    return parts.events.apply(event);
  }

  /** Has this consumer handle events of this class; see {@link #subscribe(String)}. */
  public <T> Subscription subscribe(
      String consumer, Class<T> event, EventHandler<? super T> handler) {
    return subscribe(consumer).on(event, handler);
  }

  /**
   * The subscription of this consumer, the same on every call. The name is what the database knows
   * the consumer by: it outlives the names of handlers and their classes.
   */
  public Subscription subscribe(String consumer) {
    if (started) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "consumer '%s' was not subscribed: the bus has been started. Subscribe before start()."
              .formatted(consumer));
    }
    return subscriptions.computeIfAbsent(consumer, name -> new Subscription(name, parts.source));
  }

  /** Delivers and receives until {@link #close}. Throws with all that is wrong at once. */
  public Bus start() {
    Relay.Builder builder = check();
    started = true;
    if (builder != null) {
      for (Subscription subscription : subscriptions.values()) {
        RunningSubscription one = new RunningSubscription(this, subscription);
        running.add(one);
        builder.destination(one.destination());
      }
      Relay built = builder.wokenBy(parts.outbox).build();
      relay = built.start();
      running.forEach(one -> one.start(built));
    }
    return this;
  }

  private Relay.@Nullable Builder check() {
    SubscriptionChecks checks = new SubscriptionChecks(parts.types, parts.reader);
    subscriptions.values().forEach(checks::check);
    List<String> problems = checks.problems();
    if (started) {
      problems.add("it has been started before: make another one");
    }
    if (parts.relay == null && !subscriptions.isEmpty()) {
      problems.add(
          "it has consumers but no relay, so nobody would try again what failed: set one with relay(…)");
    }
    if (!problems.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the bus was not started: its configuration has %d %s: %s. Correct them."
              .formatted(
                  problems.size(),
                  problems.size() == 1 ? "problem" : "problems",
                  String.join("; ", problems)));
    }
    return parts.relay;
  }

  boolean closing() {
    return closing;
  }

  /**
   * Stops gracefully: polls nothing more, finishes and acknowledges what is in hand, then stops the
   * relay. A handler that takes longer than half a minute is interrupted, and its transaction
   * rolled back.
   */
  @Override
  public void close() {
    closing = true;
    running.forEach(RunningSubscription::stop);
    long until = System.nanoTime() + PATIENCE.toNanos();
    try {
      for (RunningSubscription one : running) {
        one.awaitSources(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
      }
      if (relay != null) {
        relay.close();
      }
      for (RunningSubscription one : running) {
        one.close(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.clear();
  }

  /** What a bus is made of. */
  public static final class Builder {
    final InboxStore store;
    final DataSource dataSource;
    final Outbox outbox;
    final MessageTypes types;
    @Nullable PayloadWriter writer;
    Function<Object, Message.Builder> events = this::byType;
    @Nullable PayloadReader reader;
    @Nullable Source source;
    Relay.@Nullable Builder relay;
    Observer observer = Observer.NONE;
    Tracing tracing = Tracing.NONE;
    ThreadFactory threads = Thread::new;
    BiConsumer<Connection, Message> adding;

    private Builder(InboxStore store, DataSource dataSource, Outbox outbox, MessageTypes types) {
      this.store = store;
      this.dataSource = dataSource;
      this.outbox = outbox;
      this.types = types;
      this.adding = outbox::add;
    }

    /**
     * Turns events into bytes and back, for example {@code mapper::writeValueAsBytes} and {@code
     * mapper::readValue}.
     */
    public Builder payloads(PayloadWriter yours, PayloadReader yourReader) {
      this.writer = yours;
      this.reader = yourReader;
      return this;
    }

    /** Makes messages of events; default: by the types and what {@link #payloads} says. */
    public Builder events(Function<Object, Message.Builder> yours) {
      this.events = yours;
      return this;
    }

    private Message.Builder byType(Object event) {
      if (writer == null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "'%s' was not published: the bus has no payload writer. Set one with payloads(…)."
                .formatted(event.getClass().getName()));
      }
      return types.message(event, writer);
    }

    /** Where consumers get their messages from; default: the log of this database. */
    public Builder source(Source yours) {
      this.source = yours;
      return this;
    }

    /**
     * The relay that delivers what is published and serves the consumers; the bus adds these to its
     * destinations, starts it and closes it.
     */
    public Builder relay(Relay.Builder yours) {
      this.relay = yours;
      return this;
    }

    /** Hears what subscriptions do. What the relay does, its own observer hears. */
    public Builder observer(Observer yours) {
      this.observer = yours;
      return this;
    }

    /**
     * Has handlers go on with the trace of their message; default: none. The outbox and the relay
     * have theirs.
     */
    public Builder tracing(Tracing yours) {
      this.tracing = yours;
      return this;
    }

    /**
     * Makes the threads that handlers run in, for example virtual ones; default: platform threads.
     * How many there are is said by each subscription.
     */
    public Builder threads(ThreadFactory yours) {
      this.threads = yours;
      return this;
    }

    /**
     * Adds what a {@link Handling} is given to the handler's transaction; default: {@code
     * outbox::add}, at once. For frameworks that keep the messages of a transaction until its
     * commit: what overtakes the others of its key there is delivered before them.
     */
    public Builder adding(BiConsumer<Connection, Message> yours) {
      this.adding = yours;
      return this;
    }

    public Bus build() {
      return new Bus(this);
    }
  }
}
