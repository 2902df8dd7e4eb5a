package io.posthorn.core;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.bus.Subscription;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadMapper;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.message.Upcast;
import io.posthorn.core.message.Upcaster;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.core.outbox.Adding;
import io.posthorn.core.outbox.MessageDraft;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.trace.Tracing;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The one entry for plain Java: writes messages, handles and delivers them, and gives access to
 * everything that people operate.
 *
 * <pre>{@code
 * record UserRegistered(@MessageKey("user") String email) {}
 *
 * var posthorn = Posthorn.on(dataSource).environment("production").migrate()
 *     .handle("mail", UserRegistered.class, (user, handling) -> mails.welcome(user.email()))
 *     .start();
 * posthorn.inTransaction(tx -> {
 *   insertUser(tx, email);
 *   posthorn.add(tx, new UserRegistered(email));
 * });
 * }</pre>
 *
 * <p>It only connects parts that also stand alone: {@link Outbox}, {@link Bus}, {@link Relay},
 * {@link DeadLetters} and the others. It is safe for use by many threads. Close it before the
 * DataSource.
 */
public final class Posthorn implements AutoCloseable {
  private final DatabaseStore store;
  private final DataSource dataSource;
  private final MessageTypes types;
  private final PayloadCipher cipher;
  private final Outbox outbox;
  private final Bus bus;
  private final @Nullable Relay relay;

  private Posthorn(Builder parts) {
    this.dataSource = parts.dataSource;
    this.types =
        MessageTypes.learning(parts.types.toArray(MessageType[]::new))
            .upcasting(parts.upcasts.stream().map(step -> step.in(parts)).toArray(Upcast[]::new))
            .schemas(parts.schemas == null ? PayloadSchemas.found() : parts.schemas);
    parts.keys.forEach(each -> each.accept(types));
    this.cipher = parts.cipher;
    this.store = parts.store == null ? FoundStore.of(dataSource) : parts.store;
    Outbox.Builder writing = Outbox.on(store, types).cipher(cipher).tracing(parts.tracing);
    parts.outboxes.forEach(each -> each.accept(writing));
    this.outbox = writing.build();
    Relay.Builder relaying = relaying(parts);
    Bus.Builder building =
        Bus.on(store, dataSource, outbox, types)
            .observer(parts.observer.ofConsumers())
            .tracing(parts.tracing);
    if (parts.writer != null && parts.reader != null) {
      building.payloads(parts.writer, parts.reader);
    } else {
      FoundMapper.find().ifPresent(mapper -> building.payloads(mapper, mapper));
    }
    boolean handles = !parts.consumers.isEmpty();
    if (handles && relaying != null) {
      building.relay(relaying);
    }
    parts.buses.forEach(each -> each.accept(building));
    this.bus = building.build();
    parts.consumers.forEach(
        (consumer, settings) -> settings.forEach(each -> each.accept(bus.subscribe(consumer))));
    // The bus starts the relay that serves its consumers.
    this.relay = handles || relaying == null ? null : relaying.wokenBy(outbox).build();
  }

  private Relay.@Nullable Builder relaying(Builder parts) {
    if (parts.consumers.isEmpty() && parts.destinations.isEmpty()) {
      return null;
    }
    if (parts.environment.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "Posthorn was not started: it delivers, but has no environment. Set environment(\"production\"), or the variable POSTHORN_ENVIRONMENT: it is stored in the database, so that a copy of the database sends nothing.");
    }
    Relay.Builder relaying =
        Relay.on(store, parts.application, parts.environment)
            .cipher(cipher)
            .observer(parts.observer)
            .tracing(parts.tracing);
    parts.destinations.forEach(each -> relaying.destination(each.apply(types)));
    parts.relays.forEach(each -> each.accept(relaying));
    return relaying;
  }

  /**
   * Begins with the database behind this DataSource. Its tables have their default names. {@link
   * Builder#start} connects and finds the store for this database, for example {@code
   * posthorn-store-postgresql}, on the class path.
   */
  public static Builder on(DataSource dataSource) {
    return new Builder(null, dataSource);
  }

  /** Begins with a store that you have configured, for example with another schema. */
  public static Builder on(DatabaseStore store, DataSource dataSource) {
    return new Builder(store, dataSource);
  }

  /**
   * Adds an event to the connection's running transaction. Inside a handler the message follows
   * from the handled one: it gets its correlation id, causation id and trace context.
   */
  public void add(Connection tx, Object event) {
    if (event instanceof Message message) {
      outbox.add(tx, message);
    } else {
      bus.publish(tx, event);
    }
  }

  /** Starts the message of an event, for you to complete; {@link MessageDraft#add} adds it. */
  public MessageDraft message(Connection tx, Object event) {
    return new MessageDraft(
        bus.message(event),
        (draft, ordered) -> Adding.to(outbox).add(tx, Handling.following(draft), ordered));
  }

  /**
   * Runs work in a transaction of its own. Commits if it returns, rolls back if it throws, and
   * wakes the relay of this program after the commit.
   */
  public void inTransaction(Work work) throws SQLException {
    callInTransaction(
        tx -> {
          work.run(tx);
          return true;
        });
  }

  /** Runs work as {@link #inTransaction} does, and returns its result. */
  public <T extends @Nullable Object> T callInTransaction(Call<T> work) throws SQLException {
    T result = OwnTransaction.call(dataSource, work);
    outbox.wake();
    return result;
  }

  /** Adds messages without events, and wakes the relay after your own commits. */
  public Outbox outbox() {
    return outbox;
  }

  /** Lists, corrects, requeues and discards dead letters. */
  public DeadLetters deadLetters() {
    return DeadLetters.on(store, types).cipher(cipher);
  }

  /** Previews, starts and stops actions on many messages. */
  public Operations operations() {
    return Operations.on(store);
  }

  /** Pauses, resumes and limits destinations, and steers parked messages. */
  public Steering steering() {
    return Steering.on(store);
  }

  /** Finds messages and tells where each one is. */
  public Messages messages() {
    return Messages.on(store);
  }

  /** Writes and finds receipts, for handlers outside this program's consumers. */
  public Inbox inbox() {
    return Inbox.on(store);
  }

  /** Reads and verifies what people did. */
  public Audit audit() {
    return Audit.on(store);
  }

  /** Adopts a restored database, or fences one that is about to be copied. */
  public Restore restore() {
    return Restore.on(store);
  }

  /** Returns the status of all destinations, relays and the log. */
  public Status status() {
    return store.status();
  }

  /** Checks whether the database is as delivery needs it; see {@code posthorn doctor}. */
  public List<Diagnosis> diagnose() {
    return store.examine(Examination.DEFAULT);
  }

  private Posthorn start(boolean migrates) {
    try {
      if (migrates) {
        store.migrate();
      }
      if (relay != null) {
        relay.start();
      }
      bus.start();
      return this;
    } catch (RuntimeException | Error e) {
      closeAfter(e);
      throw e;
    }
  }

  /** What was started before the failure must not go on delivering. */
  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /**
   * Stops gracefully: finishes what is being delivered and handled, so that nothing is delivered
   * twice because of the stop.
   */
  @Override
  public void close() {
    bus.close();
    if (relay != null) {
      relay.close();
    }
  }

  /** A step that may convert with the mapper, which can still be set after the step. */
  private interface Step {
    Upcast in(Builder parts);
  }

  /** What {@link #inTransaction} runs. */
  @FunctionalInterface
  public interface Work {
    /** Works in this transaction; it must not commit, roll back or close it. */
    void run(Connection tx) throws SQLException;
  }

  /** What {@link #callInTransaction} runs. */
  @FunctionalInterface
  public interface Call<T extends @Nullable Object> {
    /** Works in this transaction; it must not commit, roll back or close it. */
    T call(Connection tx) throws SQLException;
  }

  /** Collects the settings. Everything except the environment has a default. */
  public static final class Builder {
    private final @Nullable DatabaseStore store;
    private final DataSource dataSource;
    private final List<MessageType> types = new ArrayList<>();
    private final List<Consumer<MessageTypes>> keys = new ArrayList<>();
    private final Map<String, List<Consumer<Subscription>>> consumers = new LinkedHashMap<>();
    private final List<Function<MessageTypes, Destination>> destinations = new ArrayList<>();
    private final List<Consumer<Outbox.Builder>> outboxes = new ArrayList<>();
    private final List<Consumer<Bus.Builder>> buses = new ArrayList<>();
    private final List<Consumer<Relay.Builder>> relays = new ArrayList<>();
    private String application = "application";
    private String environment = fromEnvironment();
    private @Nullable PayloadWriter writer;
    private @Nullable PayloadReader reader;
    private PayloadCipher cipher = PayloadCipher.NONE;
    private final List<Step> upcasts = new ArrayList<>();
    private @Nullable PayloadSchemas schemas;
    private Observer observer = Observer.NONE;
    private Tracing tracing = Tracing.NONE;
    private boolean migrates;

    private Builder(@Nullable DatabaseStore store, DataSource dataSource) {
      this.store = store;
      this.dataSource = dataSource;
    }

    private static String fromEnvironment() {
      String environment = System.getenv("POSTHORN_ENVIRONMENT");
      return environment == null ? "" : environment;
    }

    /**
     * The name that owns this program's routes; several applications can share a database. Default:
     * {@code application}.
     */
    public Builder application(String name) {
      this.application = name;
      return this;
    }

    /**
     * The name of the environment, for example {@code production}. It is stored in the database,
     * and a program of another environment sends nothing from there, so that a copy of production
     * is harmless. Required for programs that deliver; default: the variable {@code
     * POSTHORN_ENVIRONMENT}.
     */
    public Builder environment(String name) {
      this.environment = name;
      return this;
    }

    /**
     * Creates and updates the tables at the start. The DataSource's role must be allowed to do
     * that. Default: if the tables are missing, the start of a program that delivers fails, and in
     * one that only writes the first {@code add} fails.
     */
    public Builder migrate() {
      this.migrates = true;
      return this;
    }

    /**
     * Registers types that have a check, a name of their own or no class. Records and classes with
     * {@code @OutboxMessage} need no registration.
     */
    public Builder types(MessageType... more) {
      types.addAll(List.of(more));
      return this;
    }

    /** Registers types that are only names. */
    public Builder types(String... names) {
      List.of(names).forEach(name -> types.add(MessageType.named(name)));
      return this;
    }

    /**
     * Registers these classes of events, and so checks their annotations at the start rather than
     * when they are first used.
     */
    public Builder types(Class<?>... events) {
      List.of(events).forEach(event -> types.add(MessageType.of(event)));
      return this;
    }

    /**
     * Sets the key of all events of this class or interface, for classes that you cannot or do not
     * want to annotate with {@code @MessageKey}. An event that then has two keys fails the start.
     *
     * <pre>{@code
     * .keyedBy(OrderEvent.class, "order", OrderEvent::orderId)
     * }</pre>
     *
     * @param aggregateType the type of the aggregate, for example {@code order}
     * @param id reads the id of the aggregate from an event; what it returns becomes a text
     */
    public <E> Builder keyedBy(Class<E> events, String aggregateType, Function<? super E, ?> id) {
      keys.add(all -> all.keyedBy(events, aggregateType, id));
      return this;
    }

    /**
     * Converts events to payloads and back; default: the {@link PayloadMapper} on the class path,
     * for example that of {@code posthorn-json}.
     */
    public Builder payloads(PayloadWriter writer, PayloadReader reader) {
      this.writer = writer;
      this.reader = reader;
      return this;
    }

    /**
     * Converts payloads of this type from one version to a later one, before handlers, previews and
     * tests read them. Steps are chained; the start checks that they have no gap.
     *
     * <pre>{@code
     * .upcast("OrderPlaced", 1, 2, JsonUpcaster.of(json -> json.put("currency", "EUR")))
     * }</pre>
     */
    public Builder upcast(String type, int from, int to, Upcaster upcaster) {
      upcasts.add(parts -> Upcast.of(type, from, to, upcaster));
      return this;
    }

    /**
     * The same with objects, which the mapper of {@link #payloads} reads and writes: a class of the
     * earlier version, a map, or a tree of its JSON library.
     */
    public <A> Builder upcast(
        String type, int from, int to, Class<A> earlier, Function<? super A, ?> conversion) {
      upcasts.add(
          parts ->
              Upcast.of(
                  type,
                  from,
                  to,
                  Upcaster.reading(
                      earlier, parts.mapperReader(), parts.mapperWriter(), conversion)));
      return this;
    }

    private PayloadReader mapperReader() {
      return reader == null ? FoundMapper.required() : reader;
    }

    private PayloadWriter mapperWriter() {
      return writer == null ? FoundMapper.required() : writer;
    }

    /**
     * Checks payloads when they are added, corrected, requeued and handled; default: the schemas
     * that the class path brings, for example by {@code posthorn-json-schema}.
     */
    public Builder schemas(PayloadSchemas payloadSchemas) {
      this.schemas = payloadSchemas;
      return this;
    }

    /** Encrypts payloads in the database; default: they are stored as they are. */
    public Builder cipher(PayloadCipher cipher) {
      this.cipher = cipher;
      return this;
    }

    /**
     * Handles events of this class, each once in effect: what the handler writes through {@code
     * handling.connection()} is committed together with the receipt of the message.
     *
     * @param consumer the name that the database knows the consumer by
     */
    public <T> Builder handle(String consumer, Class<T> event, EventHandler<? super T> handler) {
      return consumer(consumer, subscription -> subscription.on(event, handler));
    }

    /** Configures a consumer: its handlers, source, retries and threads. */
    public Builder consumer(String consumer, Consumer<Subscription> settings) {
      consumers.computeIfAbsent(consumer, name -> new ArrayList<>()).add(settings);
      return this;
    }

    /**
     * Sends events of these classes to a broker, a webhook, or any connector. Posthorn closes the
     * connector when it has stopped.
     *
     * @param name the name that the database knows the destination by
     */
    public Builder destination(String name, Connector connector, Class<?>... events) {
      destinations.add(
          known ->
              Destination.named(name, connector)
                  .types(
                      Stream.of(events).map(event -> nameOf(event, known)).toArray(String[]::new))
                  .closesConnector()
                  .build());
      return this;
    }

    private static String nameOf(Class<?> event, MessageTypes known) {
      return known
          .of(event)
          .orElseThrow(
              () ->
                  new PosthornException(
                      ErrorCode.TYPE_NOT_REGISTERED,
                      "Posthorn was not started: %s is no event, so nothing can be routed by it. Make it a record, annotate it with @OutboxMessage, or register it with types(…)."
                          .formatted(event.getName())))
          .name();
    }

    /** Adds a destination with all its options: retries, limits, where it starts. */
    public Builder destination(Destination destination) {
      destinations.add(known -> destination);
      return this;
    }

    /**
     * Is notified of what the relay and the consumers do, for example {@code OutboxMetrics} of
     * {@code posthorn-observe}; default: no observer.
     */
    public Builder observer(Observer observer) {
      this.observer = observer;
      return this;
    }

    /** Traces messages from their transaction to their handler; default: no tracing. */
    public Builder tracing(Tracing tracing) {
      this.tracing = tracing;
      return this;
    }

    /** Configures the outbox further, for example its limits. */
    public Builder outbox(Consumer<Outbox.Builder> settings) {
      outboxes.add(settings);
      return this;
    }

    /** Configures the bus further, for example its threads and a source for all consumers. */
    public Builder bus(Consumer<Bus.Builder> settings) {
      buses.add(settings);
      return this;
    }

    /** Configures the relay further, for example its name, limits and archive. */
    public Builder relay(Consumer<Relay.Builder> settings) {
      relays.add(settings);
      return this;
    }

    /**
     * Starts. Without consumers and destinations the program only writes, and another one delivers.
     *
     * @throws PosthornException if the configuration has problems, the database does not answer or
     *     is not prepared for this program, or no store for it is on the class path
     */
    public Posthorn start() {
      return new Posthorn(this).start(migrates);
    }
  }
}
