package io.posthorn.core;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.bus.Subscription;
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
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.Messages;
import io.posthorn.core.outbox.MessageDraft;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import java.util.function.Function;
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
    this.store = parts.store;
    this.dataSource = parts.dataSource;
    this.types =
        MessageTypes.learning(parts.types.toArray(MessageType[]::new))
            .upcasting(parts.upcasts.stream().map(step -> step.in(parts)).toArray(Upcast[]::new))
            .schemas(parts.schemas == null ? PayloadSchemas.found() : parts.schemas);
    this.cipher = parts.cipher;
    Outbox.Builder writing = Outbox.on(store, types).cipher(cipher);
    parts.outboxes.forEach(each -> each.accept(writing));
    this.outbox = writing.build();
    Relay.Builder relaying = relaying(parts);
    Bus.Builder building =
        Bus.on(store, dataSource, outbox, types).payloads(parts.writer, parts.reader);
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

  private static Relay.@Nullable Builder relaying(Builder parts) {
    if (parts.consumers.isEmpty() && parts.destinations.isEmpty()) {
      return null;
    }
    if (parts.environment.isEmpty()) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "Posthorn was not started: it delivers, but has no environment. Set environment(\"production\"), or the variable POSTHORN_ENVIRONMENT: it is stored in the database, so that a copy of the database sends nothing.");
    }
    Relay.Builder relaying =
        Relay.on(parts.store, parts.application, parts.environment).cipher(parts.cipher);
    parts.destinations.forEach(relaying::destination);
    parts.relays.forEach(each -> each.accept(relaying));
    return relaying;
  }

  /**
   * Begins with the database behind this DataSource. Its tables have their default names.
   *
   * @throws PosthornException if the database does not answer, or no store for it is on the class
   *     path
   */
  public static Builder on(DataSource dataSource) {
    return on(storeFor(dataSource), dataSource);
  }

  /** Begins with a store that you have configured, for example with another schema. */
  public static Builder on(DatabaseStore store, DataSource dataSource) {
    return new Builder(store, dataSource);
  }

  private static DatabaseStore storeFor(DataSource dataSource) {
    String product;
    try (Connection connection = dataSource.getConnection()) {
      product = connection.getMetaData().getDatabaseProductName();
    } catch (SQLException e) {
      throw new PosthornException(
          ErrorCode.STORE_FAILED,
          "Posthorn was not started: the DataSource gave no connection. See the cause.",
          e);
    }
    List<String> found = new ArrayList<>();
    for (StoreProvider provider :
        ServiceLoader.load(StoreProvider.class, Posthorn.class.getClassLoader())) {
      if (provider.supports(product)) {
        return provider.on(dataSource);
      }
      found.add(provider.getClass().getName());
    }
    throw new PosthornException(
        ErrorCode.CONFIGURATION,
        "Posthorn was not started: the database is %s, and no store for it is on the class path (found: %s). Add its store, for example posthorn-store-postgresql."
            .formatted(product, found.isEmpty() ? "none" : String.join(", ", found)));
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
    return new MessageDraft(bus.message(event), draft -> outbox.add(tx, Handling.following(draft)));
  }

  /**
   * Runs work in a transaction of its own. Commits if it returns, rolls back if it throws, and
   * wakes the relay of this program after the commit.
   */
  public void inTransaction(Work work) throws SQLException {
    try (Connection tx = dataSource.getConnection()) {
      boolean autoCommit = tx.getAutoCommit();
      tx.setAutoCommit(false);
      try {
        work.run(tx);
        tx.commit();
      } catch (SQLException | RuntimeException | Error e) {
        rollBack(tx, e);
        throw e;
      } finally {
        restore(tx, autoCommit);
      }
    }
    outbox.wake();
  }

  private static void rollBack(Connection tx, Throwable failure) {
    try {
      tx.rollback();
    } catch (SQLException e) {
      failure.addSuppressed(e);
    }
  }

  /** A connection that cannot be restored is broken, which its pool notices. */
  private static void restore(Connection tx, boolean autoCommit) throws SQLException {
    if (autoCommit && !tx.isClosed()) {
      tx.setAutoCommit(true);
    }
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

  private Posthorn start() {
    if (relay != null) {
      relay.start();
    }
    bus.start();
    return this;
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

  /** Collects the settings. Everything except the environment has a default. */
  public static final class Builder {
    private final DatabaseStore store;
    private final DataSource dataSource;
    private final List<MessageType> types = new ArrayList<>();
    private final Map<String, List<Consumer<Subscription>>> consumers = new LinkedHashMap<>();
    private final List<Destination> destinations = new ArrayList<>();
    private final List<Consumer<Outbox.Builder>> outboxes = new ArrayList<>();
    private final List<Consumer<Bus.Builder>> buses = new ArrayList<>();
    private final List<Consumer<Relay.Builder>> relays = new ArrayList<>();
    private String application = "application";
    private String environment = fromEnvironment();
    private PayloadWriter writer = FoundMapper.INSTANCE;
    private PayloadReader reader = FoundMapper.INSTANCE;
    private PayloadCipher cipher = PayloadCipher.NONE;
    private final List<Step> upcasts = new ArrayList<>();
    private @Nullable PayloadSchemas schemas;
    private boolean migrates;

    private Builder(DatabaseStore store, DataSource dataSource) {
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
     * that. Default: the start fails if the tables are missing.
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
                  Upcaster.reading(earlier, parts.reader, parts.writer, conversion)));
      return this;
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

    /** Adds a destination: a broker, a webhook, or any connector. */
    public Builder destination(Destination destination) {
      destinations.add(destination);
      return this;
    }

    /** Configures the outbox further, for example its limits and tracing. */
    public Builder outbox(Consumer<Outbox.Builder> settings) {
      outboxes.add(settings);
      return this;
    }

    /** Configures the bus further, for example its threads and a source for all consumers. */
    public Builder bus(Consumer<Bus.Builder> settings) {
      buses.add(settings);
      return this;
    }

    /** Configures the relay further, for example its name, limits and observer. */
    public Builder relay(Consumer<Relay.Builder> settings) {
      relays.add(settings);
      return this;
    }

    /**
     * Starts. Without consumers and destinations the program only writes, and another one delivers.
     *
     * @throws PosthornException with all problems of the configuration
     */
    public Posthorn start() {
      Posthorn posthorn = new Posthorn(this);
      if (migrates) {
        store.migrate();
      }
      return posthorn.start();
    }
  }
}
