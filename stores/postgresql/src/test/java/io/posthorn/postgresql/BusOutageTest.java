package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.EventHandler;
import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.testkit.MemorySource;
import io.posthorn.testkit.Oracle;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FaultProxy;
import io.posthorn.testservers.StreamMatcher;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * The database fails in the middle of a handler, in every possible way, and recovers. Committed
 * effects happen once, in the order of their key.
 */
class BusOutageTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> KEYS = List.of("a", "b", "c", "d");
  private static final List<String> CONSUMERS = List.of("from-source", "from-log");
  private static final StreamMatcher COMMIT = StreamMatcher.token("commit");

  private final EmbeddedPostgres postgres = EmbeddedPostgres.builder().durable(true).start();
  private final FaultProxy proxy = FaultProxy.to(postgres.port());
  private final PGSimpleDataSource direct = new PGSimpleDataSource();
  private final PGSimpleDataSource proxied = new PGSimpleDataSource();
  private final MemorySource source = new MemorySource(3, 11);

  /** What the next handler call does to the database, by consumer. */
  private final Map<String, AtomicReference<Runnable>> strikes =
      Map.of(CONSUMERS.get(0), new AtomicReference<>(), CONSUMERS.get(1), new AtomicReference<>());

  BusOutageTest() {
    direct.setUrl(postgres.jdbcUrl("postgres"));
    // COMMIT must be visible on the wire, and dead connections must fail soon.
    proxied.setUrl(
        EmbeddedPostgres.jdbcUrl(proxy.port(), "postgres")
            + "&prepareThreshold=0&socketTimeout=2&connectTimeout=2");
  }

  @AfterEach
  void close() {
    proxy.close();
    postgres.close();
  }

  private EventHandler<Message> writing(String consumer) {
    return (message, handling) -> {
      write(handling.connection(), consumer, message);
      Runnable strike = strikes.get(consumer).getAndSet(null);
      if (strike != null) {
        strike.run();
      }
      try (var statement = handling.connection().createStatement()) {
        statement.execute("SELECT 1");
      }
    };
  }

  private static void write(Connection tx, String consumer, Message message) throws SQLException {
    try (var insert = tx.prepareStatement("INSERT INTO effect (consumer, line) VALUES (?, ?)")) {
      insert.setString(1, consumer);
      insert.setString(2, Oracle.line(message));
      insert.executeUpdate();
    }
  }

  private long effects(String consumer) {
    return Jdbc.number(
        direct, "SELECT count(*) FROM effect WHERE consumer = '%s'".formatted(consumer));
  }

  /** The ways to fail; each lasts until the test ends it. */
  private Map<String, Runnable> faults() {
    Map<String, Runnable> faults = new TreeMap<>();
    faults.put("all connections are reset", proxy::reset);
    faults.put("connections go dead in silence", proxy::drop);
    faults.put("a commit is done and its answer lost", () -> proxy.cutBeforeReply(COMMIT));
    faults.put("a commit never arrives", () -> proxy.cutBeforeForward(COMMIT));
    faults.put(
        "the server crashes",
        () -> {
          postgres.kill();
          postgres.start();
        });
    return faults;
  }

  @Test
  void effects_happen_once_and_in_order_though_the_database_goes_away_in_the_middle()
      throws Exception {
    new Migrations(Tables.DEFAULT).migrate(direct);
    Jdbc.execute(
        direct,
        "CREATE TABLE effect (position bigint GENERATED ALWAYS AS IDENTITY, consumer "
            + "text NOT NULL, line text NOT NULL)");
    Oracle oracle = Oracle.in(direct).keys(KEYS);
    PostgresqlStore store = PostgresqlStore.on(proxied);
    Outbox outbox = Outbox.on(store, Oracle.TYPES).build();
    RelayConfig quick =
        RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build();
    try (Bus bus =
        Bus.on(store, proxied, outbox, Oracle.TYPES)
            .source(source)
            .relay(Relay.on(store, "shop", "test").config(quick))
            .build()) {
      bus.subscribe(CONSUMERS.get(0)).on(Oracle.TYPE, writing(CONSUMERS.get(0))).threads(2);
      bus.subscribe(CONSUMERS.get(1)).on(Oracle.TYPE, writing(CONSUMERS.get(1))).inProcess();
      bus.start();
      int strike = 0;
      for (Runnable fault : faults().values()) {
        strikeInTheMiddle(CONSUMERS.get(strike++ % 2), fault, oracle, outbox);
      }
    }
    for (String consumer : CONSUMERS) {
      assertThat(effects(consumer)).isEqualTo(oracle.committed());
      Oracle judge = Oracle.in(direct);
      Jdbc.query(
              direct,
              "SELECT line FROM effect WHERE consumer = '%s' ORDER BY position".formatted(consumer),
              row -> row.getString(1))
          .forEach(judge::observeLine);
      judge.assertClean();
    }
  }

  private void strikeInTheMiddle(String consumer, Runnable fault, Oracle oracle, Outbox outbox)
      throws Exception {
    CountDownLatch produced = new CountDownLatch(1);
    CountDownLatch struck = new CountDownLatch(1);
    strikes
        .get(consumer)
        .set(
            () -> {
              // The application must not be hit, too: it would have to find out what it committed.
              awaitZero(produced);
              fault.run();
              struck.countDown();
            });
    produce(oracle, outbox);
    produced.countDown();
    assertThat(struck.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    int connections = proxy.accepted();
    await().atMost(PATIENCE).until(() -> proxy.accepted() >= connections + 2);
    // Resets connections for a server that still waits for a client, so that it frees their locks.
    proxy.reset();
    proxy.pass();
    produce(oracle, outbox);
    for (String each : CONSUMERS) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(effects(each)).isEqualTo(oracle.committed()));
    }
  }

  private static void awaitZero(CountDownLatch latch) {
    try {
      assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a data source with its own way to the database, as the application has. */
  private void produce(Oracle oracle, Outbox outbox) throws SQLException {
    try (Connection tx = direct.getConnection()) {
      tx.setAutoCommit(false);
      for (int i = 0; i < 5; i++) {
        List<Message> added = oracle.produce(tx, outbox, KEYS, 0);
        tx.commit();
        source.publishRepeating(added);
      }
    }
  }
}
