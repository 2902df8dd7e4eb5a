package io.posthorn.core.bus;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.InboxStore;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.message.Upcast;
import io.posthorn.core.message.Upcaster;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.observe.SafeObserver;
import io.posthorn.core.outbox.Adding;
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
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Publishes events in your transactions, and hands events to your handlers so that each takes
 * effect once.
 *
 * <p>A program has one bus with one relay. The relay delivers published events, and hands events to
 * handlers again after a failure. Whether the events travel through a broker, and which one, is
 * configuration.
 */
public final class Bus implements AutoCloseable {
  /** How long handlers may continue after the bus is closed, before they are interrupted. */
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

  /**
   * Starts the configuration of a bus.
   *
   * @param store the store of the database that handlers work in
   * @param dataSource gives the connections for handlers
   * @param outbox takes the messages that are published
   * @param types the types that can be published and handled as objects
   */
  public static Builder on(
      InboxStore store, DataSource dataSource, Outbox outbox, MessageTypes types) {
    return new Builder(store, dataSource, outbox, types);
  }

  /**
   * Converts this event to a message, and adds it to the connection's running transaction. Inside a
   * handler the message follows from the handled one: its correlation id, causation id and trace
   * context are set.
   */
  public void publish(Connection tx, Object event) {
    parts.outbox.add(tx, Handling.following(message(event)));
  }

  /** Starts a message from this event, for you to complete and add to the outbox. */
  public Message.Builder message(Object event) {
    return parts.events.apply(event);
  }

  /** Subscribes a handler of this class of events; see {@link #subscribe(String)}. */
  public <T> Subscription subscribe(
      String consumer, Class<T> event, EventHandler<? super T> handler) {
    return subscribe(consumer).on(event, handler);
  }

  /**
   * Returns the subscription of this consumer; it is the same on every call.
   *
   * @param consumer the name that the database knows the consumer by. It stays when you rename
   *     handlers or their classes
   */
  public Subscription subscribe(String consumer) {
    if (started) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "consumer '%s' was not subscribed: the bus is already started. Subscribe before start()."
              .formatted(consumer));
    }
    return subscriptions.computeIfAbsent(consumer, name -> new Subscription(name, parts.source));
  }

  /**
   * Starts to deliver and receive, until {@link #close}. A bus that failed to start is closed.
   *
   * @throws PosthornException with all problems of the configuration
   */
  public Bus start() {
    if (started) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the bus was not started: it was started before. Create another one.");
    }
    try {
      return startOnce();
    } catch (RuntimeException | Error e) {
      closeAfter(e);
      throw e;
    }
  }

  private Bus startOnce() {
    Relay.Builder builder = check();
    started = true;
    if (builder != null) {
      for (Subscription subscription : subscriptions.values()) {
        RunningSubscription one = new RunningSubscription(this, subscription);
        running.add(one);
        builder.destination(one.destination());
      }
      Relay built = builder.wokenBy(parts.outbox).build();
      relay = built;
      built.start();
      running.forEach(one -> one.start(built));
    }
    return this;
  }

  private Relay.@Nullable Builder check() {
    SubscriptionChecks checks = new SubscriptionChecks(parts.types, parts.reader);
    subscriptions.values().forEach(checks::check);
    List<String> problems = checks.problems();
    if (parts.relay == null && !subscriptions.isEmpty()) {
      problems.add(
          "the bus has consumers but no relay to retry failed messages: set one with relay(…)");
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

  /** What was opened before the failure must not stay open. */
  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  boolean closing() {
    return closing;
  }

  /**
   * Stops gracefully: polls no more messages, finishes and acknowledges those in hand, and stops
   * the relay. A handler that is still running after 30 seconds is interrupted, and its transaction
   * is rolled back.
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
      } else if (parts.relay != null) {
        parts.relay.closeConnectors();
      }
      for (RunningSubscription one : running) {
        one.close(Duration.ofNanos(Math.max(1, until - System.nanoTime())));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    running.clear();
  }

  /** Configures a bus. */
  public static final class Builder {
    final InboxStore store;
    final DataSource dataSource;
    final Outbox outbox;
    MessageTypes types;
    @Nullable PayloadWriter writer;
    Function<Object, Message.Builder> events = this::byType;
    @Nullable PayloadReader reader;
    @Nullable Source source;
    Relay.@Nullable Builder relay;
    Observer observer = Observer.NONE;
    Tracing tracing = Tracing.NONE;
    ThreadFactory threads = Thread::new;
    Adding adding;
    private final List<Upcast> upcasts = new ArrayList<>();

    private Builder(InboxStore store, DataSource dataSource, Outbox outbox, MessageTypes types) {
      this.store = store;
      this.dataSource = dataSource;
      this.outbox = outbox;
      this.types = types;
      this.adding = Adding.to(outbox);
    }

    /**
     * Converts events to bytes and back, for example with {@code mapper::writeValueAsBytes} and
     * {@code mapper::readValue}.
     */
    public Builder payloads(PayloadWriter writer, PayloadReader reader) {
      this.writer = writer;
      this.reader = reader;
      return this;
    }

    /** Converts events to messages; default: by their types and the {@link #payloads} writer. */
    public Builder events(Function<Object, Message.Builder> conversion) {
      this.events = conversion;
      return this;
    }

    private Message.Builder byType(Object event) {
      if (writer == null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "'%s' was not published: nothing writes its payload. Add posthorn-json to the class path, where Posthorn.on(…) finds it, or set a writer with payloads(…)."
                .formatted(event.getClass().getName()));
      }
      return types.message(event, writer);
    }

    /**
     * Converts payloads of this type from one version to a later one, before their handlers get
     * them. Steps are chained, and checked when the bus is built.
     */
    public Builder upcast(String type, int from, int to, Upcaster upcaster) {
      upcasts.add(Upcast.of(type, from, to, upcaster));
      return this;
    }

    /** Where consumers receive messages from; default: the log of this database. */
    public Builder source(Source source) {
      this.source = source;
      return this;
    }

    /**
     * The relay that delivers published messages and serves the consumers. The bus adds the
     * consumers to its destinations, starts it and closes it.
     */
    public Builder relay(Relay.Builder relay) {
      this.relay = relay;
      return this;
    }

    /** Is notified of what subscriptions do. The relay has an observer of its own. */
    public Builder observer(Observer observer) {
      this.observer = observer;
      return this;
    }

    /**
     * Runs each handler in the trace of its message; default: no tracing. The outbox and the relay
     * are configured separately.
     */
    public Builder tracing(Tracing tracing) {
      this.tracing = tracing;
      return this;
    }

    /**
     * Creates the threads that handlers run on, for example virtual ones; default: platform
     * threads. Each subscription sets their number.
     */
    public Builder threads(ThreadFactory factory) {
      this.threads = factory;
      return this;
    }

    /**
     * Adds the messages of a {@link Handling} to the handler's transaction; default: at once, by
     * the outbox. Set it for a framework that collects the messages of a transaction until the
     * commit: all messages must go the same way, or those of one key are delivered in another
     * order.
     */
    public Builder adding(Adding add) {
      this.adding = add;
      return this;
    }

    /**
     * Builds the bus. Subscribe handlers, and then call {@link Bus#start}.
     *
     * @throws PosthornException with all problems of the upcasters
     */
    public Bus build() {
      types = types.upcasting(upcasts.toArray(Upcast[]::new));
      upcasts.clear();
      return new Bus(this);
    }
  }
}
