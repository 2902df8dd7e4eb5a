package io.posthorn.test;

import io.posthorn.core.bus.ApplicationHandlers;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadWriter;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.source.Source;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.RelayStore;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Posthorn in a test: a database with its tables, and a relay that delivers when the test asks.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final PosthornTest posthorn =
 *     PosthornTest.embedded().types(Orders.TYPES).deliversTo("mail", "OrderPlaced");
 *
 * @Test
 * void an_order_is_confirmed_by_mail() {
 *   orders.place("42");
 *
 *   assertThat(posthorn.outbox()).holdsOne(OrderPlaced.class).withKey("42");
 *   posthorn.deliverAll();
 *   assertThat(posthorn.destination("mail").received()).holdsOne(OrderPlaced.class);
 * }
 * }</pre>
 *
 * <p>Before each test, everything that Posthorn has stored is removed; you empty your own tables.
 * Only {@link #deliverAll} and {@link #retryAll} deliver messages. Without JUnit, call {@link
 * #reset} before each test.
 */
public final class PosthornTest implements BeforeEachCallback {
  private static final Actor ACTOR = new Actor("PosthornTest", "the test asked for it");
  private static final int PAGE = 1_000;

  private final Supplier<EmbeddedDatabase> newDatabase;
  private @Nullable EmbeddedDatabase embedded;
  private final @Nullable DataSource ownDataSource;
  private Tables tables = Tables.DEFAULT;
  private String environment = "test";
  private final Payloads payloads = new Payloads();
  private final Map<String, TestDestination> standIns = new LinkedHashMap<>();
  private final Map<String, Destination> destinations = new LinkedHashMap<>();
  private final Map<String, TestConsumer> consumers = new LinkedHashMap<>();
  private @Nullable ApplicationHandlers application;

  private PosthornTest(Supplier<EmbeddedDatabase> newDatabase, @Nullable DataSource ownDataSource) {
    this.newDatabase = newDatabase;
    this.ownDataSource = ownDataSource;
  }

  /**
   * Uses its own database in an embedded PostgreSQL server, and creates Posthorn's tables in it.
   */
  public static PosthornTest embedded() {
    return new PosthornTest(EmbeddedDatabase::empty, null);
  }

  /**
   * Uses your database, in which your own migrations create Posthorn's tables. Everything that
   * Posthorn has stored there is removed before each test.
   */
  public static PosthornTest on(DataSource dataSource) {
    return new PosthornTest(
        () -> {
          throw new IllegalStateException(
              "the database's JDBC URL is unknown, because the test passed its own "
                  + "DataSource. Use the URL with which you created it.");
        },
        dataSource);
  }

  // ---- settings, before the first test ----

  /** The names of the tables; default: {@link Tables#DEFAULT}. */
  public PosthornTest tables(Tables place) {
    this.tables = place;
    return this;
  }

  /**
   * The application's types, so that tests can name them by their classes; default: each record,
   * and each class with {@code @OutboxMessage}, is the type that it declares.
   */
  public PosthornTest types(MessageTypes types) {
    payloads.types(types);
    return this;
  }

  /**
   * Sets how payloads are read, for example {@code mapper::readValue}; default: by the mapper on
   * the class path, for example that of {@code posthorn-json}.
   */
  public PosthornTest payloads(PayloadReader reader) {
    payloads.reader(reader);
    return this;
  }

  /** Sets how payloads are written and read; handlers that publish need both. */
  public PosthornTest payloads(PayloadWriter writer, PayloadReader reader) {
    payloads.writer(writer);
    return payloads(reader);
  }

  public PosthornTest cipher(PayloadCipher cipher) {
    payloads.cipher(cipher);
    return this;
  }

  /** The environment of the application's own relay; default {@code test}. */
  public PosthornTest environment(String name) {
    this.environment = name;
    return this;
  }

  /** Adds a stand-in that accepts messages of these types, or of all types if none is named. */
  public PosthornTest deliversTo(String name, String... types) {
    TestDestination standIn = new TestDestination(name, types, payloads);
    standIns.put(name, standIn);
    return deliversTo(standIn.destination());
  }

  /** Adds a destination of the application, with its own connector, handlers and retries. */
  public PosthornTest deliversTo(Destination destination) {
    destinations.put(destination.name(), destination);
    return this;
  }

  /** Adds a consumer of the application: {@code stock -> stock.on(OrderPlaced.class, handler)}. */
  public PosthornTest handles(String consumer, Consumer<TestConsumer> handlers) {
    TestConsumer added = new TestConsumer(consumer, payloads);
    handlers.accept(added);
    consumers.put(consumer, added);
    return this;
  }

  /**
   * Runs the handlers of the application, for example all methods with {@code @MessageHandler} of a
   * Spring Boot application:
   *
   * <pre>{@code
   * @Autowired
   * void handlers(ApplicationHandlers handlers) {
   *   posthorn.handles(handlers);
   * }
   * }</pre>
   *
   * <p>{@link #consumer} returns their consumers, too. Those with a source get their messages by
   * {@link TestConsumer#gets}.
   */
  public synchronized PosthornTest handles(ApplicationHandlers handlers) {
    if (handlers.equals(application)) {
      return this;
    }
    if (application != null) {
      application.consumers().forEach(consumers::remove);
    }
    application = handlers;
    for (String consumer : handlers.consumers()) {
      TestConsumer added = new TestConsumer(consumer, payloads).ofApplication();
      if (handlers.consumersOfSources().contains(consumer)) {
        added.fromBroker();
      }
      consumers.put(consumer, added);
    }
    OutboxTables outbox = outboxTables();
    if (outbox.exist()) {
      register(outbox);
    }
    return this;
  }

  // ---- for the application ----

  public synchronized DataSource dataSource() {
    return ownDataSource != null ? ownDataSource : database().dataSource();
  }

  /** The JDBC URL of the embedded database, for example for {@code spring.datasource.url}. */
  public String jdbcUrl() {
    return database().jdbcUrl();
  }

  public PostgresqlStore store() {
    return PostgresqlStore.on(dataSource(), tables);
  }

  private synchronized EmbeddedDatabase database() {
    EmbeddedDatabase known = embedded;
    if (known == null) {
      known = newDatabase.get();
      new Migrations(tables).migrate(known.dataSource());
      embedded = known;
    }
    return known;
  }

  // ---- for a test ----

  /**
   * Returns all messages that this test added and committed, in order, including delivered ones.
   * Messages that a running transaction has added are missing.
   */
  public MessageList outbox() {
    PostgresqlStore store = store();
    MessageQuery all = MessageQuery.builder().oldestFirst().build();
    List<Held> held = new ArrayList<>();
    Long after = null;
    do {
      MessagePage page = store.messages(all, after, PAGE);
      for (ListedMessage listed : page.messages()) {
        store.find(listed.id()).ifPresent(story -> held.add(held(story)));
      }
      after = page.next();
    } while (after != null);
    return new MessageList("the outbox", held, payloads);
  }

  private Held held(MessageStory story) {
    String cipherKey = story.cipherKey();
    return new Held(
        cipherKey == null
            ? story.message()
            : story.message().withPayload(payloads.cipher().decrypt(story.message(), cipherKey)),
        story.deliveries());
  }

  /** Returns a stand-in that was added with {@link #deliversTo(String, String...)}. */
  public TestDestination destination(String name) {
    return Optional.ofNullable(standIns.get(name))
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "there is no stand-in '%s', only %s. Add it with deliversTo(\"%s\", …)."
                        .formatted(name, standIns.keySet(), name)));
  }

  /** Returns a consumer that was added with {@link #handles}. */
  public TestConsumer consumer(String name) {
    return Optional.ofNullable(consumers.get(name))
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "there is no consumer '%s', only %s. Add it with handles(\"%s\", …)."
                        .formatted(name, consumers.keySet(), name)));
  }

  /**
   * Lets a relay and the consumers run until nothing is due: every message is sent, handled or
   * dead, or waits for a time, its turn or a person.
   */
  public Delivered deliverAll() {
    OutboxTables outbox = outboxTables();
    refuseOtherRelays(outbox);
    if (destinations.isEmpty() && consumers.isEmpty()) {
      throw new IllegalStateException(
          "nothing was delivered: there is no destination and no consumer. Add one with deliversTo(…) or handles(…). In a Spring Boot test, pass the bean ApplicationHandlers to handles(…).");
    }
    DeliveryRun run = run(outbox);
    List<String> problems = new ArrayList<>(run.delivered().problems());
    outbox().held().stream()
        .filter(PosthornTest::hasNoRoute)
        .forEach(held -> problems.add(held.message() + " has no route: no destination accepts it"));
    return new Delivered(run.delivered().sent(), problems);
  }

  private static boolean hasNoRoute(Held held) {
    return held.deliveries().stream()
        .allMatch(delivery -> delivery.destination().equals(RelayStore.UNROUTED));
  }

  /** Retries failed messages at once, as if their backoff were over; then works like deliverAll. */
  public Delivered retryAll() {
    Steering steering = Steering.on(store());
    destinations.keySet().forEach(name -> steering.retryNow(name, null, ACTOR));
    consumers.keySet().forEach(name -> steering.retryNow(name, null, ACTOR));
    return deliverAll();
  }

  /**
   * Ages everything that is stored by this much, as if the time had passed. Scheduled messages and
   * retries may then be due, and the next {@link #deliverAll} delivers them. Clocks do not change.
   */
  public void letPass(Duration time) {
    outboxTables().age(time);
  }

  /** Removes everything that Posthorn has stored; stand-ins and consumers forget their messages. */
  public synchronized void reset() {
    OutboxTables outbox = outboxTables();
    if (!outbox.exist()) {
      throw new IllegalStateException(
          "Posthorn's tables are not in this database. Let your migrations create them, "
              + "or use PosthornTest.embedded().");
    }
    outbox.environment().stream()
        .filter(other -> !other.equals(environment))
        .forEach(
            other -> {
              throw new IllegalStateException(
                  ("nothing was removed: this database belongs to the environment '%s', "
                          + "but this test belongs to '%s'. Point the test to another database, "
                          + "or call environment(\"%s\").")
                      .formatted(other, environment, other));
            });
    refuseOtherRelays(outbox);
    outbox.empty();
    standIns.values().forEach(TestDestination::reset);
    consumers.values().forEach(TestConsumer::reset);
    register(outbox);
  }

  /** Registers the destinations, so that messages added from now on are for them. */
  private void register(OutboxTables outbox) {
    boolean needsRelay = destinations.size() > standIns.size() || !consumers.isEmpty();
    if (needsRelay) {
      // Only a relay knows the routes of real destinations.
      run(outbox);
    } else {
      PostgresqlStore store = store();
      store.verify(environment);
      store.register(
          DeliveryRun.APPLICATION,
          standIns.values().stream().map(TestDestination::serving).toList());
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    reset();
  }

  private OutboxTables outboxTables() {
    return new OutboxTables(dataSource(), tables);
  }

  private DeliveryRun run(OutboxTables outbox) {
    DeliveryRun run = new DeliveryRun(outbox, destinations.values(), consumers);
    run.run(relay(), this::bus);
    return run;
  }

  private Bus bus(Relay.Builder relay, Observer observer) {
    if (application != null) {
      return application.bus(relay, observer, this::broker);
    }
    PostgresqlStore store = store();
    return Bus.on(
            store,
            dataSource(),
            Outbox.on(store, payloads.types()).cipher(payloads.cipher()).build(),
            payloads.types())
        .payloads(payloads.writer(), payloads.reader())
        .relay(relay)
        .observer(observer)
        .build();
  }

  private Source broker(String consumer) {
    return Objects.requireNonNull(consumer(consumer).broker());
  }

  private Relay.Builder relay() {
    return Relay.on(store(), DeliveryRun.APPLICATION, environment)
        .name("PosthornTest")
        .cipher(payloads.cipher());
  }

  private static void refuseOtherRelays(OutboxTables outbox) {
    List<String> others = outbox.relaysOfOtherApplications(DeliveryRun.APPLICATION);
    if (!others.isEmpty()) {
      throw new IllegalStateException(
          ("the test cannot control when messages are delivered: %s runs on this "
                  + "database. Do not start the application's own relay in tests (Spring Boot: "
                  + "posthorn.relay.enabled=false).")
              .formatted(String.join(", ", others)));
    }
  }
}
