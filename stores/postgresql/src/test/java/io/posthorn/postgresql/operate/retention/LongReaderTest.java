package io.posthorn.postgresql.operate.retention;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Requeue;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestDatabase;
import io.posthorn.testkit.TestMessages;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A REPEATABLE READ transaction stays open: it delays retention and nothing else. */
class LongReaderTest {
  private static final int OLD = 20;
  private static final int KEYS = 40;
  private static final int EACH = 10;
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final RetryPolicy QUICK =
      RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(50));

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final TestLanes lanes = new TestLanes(database);
  private final Set<UUID> failed = ConcurrentHashMap.newKeySet();
  private final Queue<Event> events = new ConcurrentLinkedQueue<>();
  private volatile boolean refusing = true;

  @AfterEach
  void discard() {
    database.discard();
  }

  /** The 3rd message of a key fails once; the 5th is refused as long as the test wants. */
  private Outcome outcome(Message message) {
    String content = TestMessages.content(message);
    if (content.endsWith(":3") && failed.add(message.id())) {
      return Outcome.failed(Reason.of("FLAKY", "the first time"));
    }
    return refusing && content.endsWith(":5")
        ? Outcome.rejected(Reason.of("REFUSED", "until later"))
        : Outcome.SENT;
  }

  @Test
  void all_is_delivered_and_requeued_and_retention_waits_and_says_for_whom() throws SQLException {
    OldMessages.add(database, OLD);
    FakeConnector shop = FakeConnector.acking().outcome(this::outcome);
    try (Connection reader = database.dataSource().getConnection();
        Relay relay = relay(shop)) {
      reader.setAutoCommit(false);
      reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      execute(reader, "SET LOCAL application_name = 'long-report'");
      assertThat(seenBy(reader)).isEqualTo(OLD);

      for (int n = 1; n <= EACH; n++) {
        int each = n;
        lanes.add(
            IntStream.range(0, KEYS)
                .mapToObj(key -> keyed("k" + key, "k" + key + ":" + each))
                .toArray(Message[]::new));
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(database.dead("shop")).as(this::story).hasSize(KEYS);
                assertThat(sent(shop)).as(this::story).hasSize(KEYS * (EACH - 1));
                assertThat(database.parked("shop")).isEmpty();
              });
      assertThat(failed).hasSize(KEYS);
      refusing = false;
      List<UUID> letters = database.dead("shop").stream().map(TestDatabase.Dead::id).toList();
      assertThat(
              DeadLetters.on(database.operator())
                  .requeue(letters, Requeue.SAME, new Actor("anna", "it takes them now"))
                  .done())
          .isEqualTo(KEYS);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(sent(shop)).as(this::story).hasSize(KEYS * EACH));
      for (int key = 0; key < KEYS; key++) {
        assertThat(sentOf(shop, key)).containsExactly(1, 2, 3, 4, 6, 7, 8, 9, 10, 5);
      }

      PurgeReport report = purge();
      assertThat(report.emptied()).noneMatch(leaf -> leaf.startsWith("posthorn_log"));
      assertThat(report.waiting())
          .anySatisfy(line -> assertThat(line).contains("posthorn_log", "long-report", "process "));
      assertThat(seenBy(reader)).isEqualTo(OLD);
      reader.rollback();
    }
    // The relay's own purge may have been first.
    purge();
    assertThat(database.logged()).hasSize(KEYS * EACH);
  }

  /** Who holds the lanes and how far they have come, for the case that nothing arrives. */
  private String story() {
    Map<String, Long> reported =
        events.stream()
            .collect(
                Collectors.groupingBy(
                    event -> event.getClass().getSimpleName(),
                    TreeMap::new,
                    Collectors.counting()));
    return "the relay reported %s; lanes %s; newest progress %s; parked %s"
        .formatted(
            reported,
            database.query("SELECT l::text FROM posthorn_lane l", row -> row.getString(1)),
            database.query(
                "SELECT p::text FROM posthorn_progress p WHERE destination = 'shop' ORDER BY n DESC LIMIT 1",
                row -> row.getString(1)),
            database.query(
                "SELECT waiting || ' ' || count(*) FROM posthorn_parked GROUP BY waiting",
                row -> row.getString(1)));
  }

  private Relay relay(FakeConnector shop) {
    return Relay.on(database.store(), "tests", "test")
        .config(RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build())
        .observer(events::add)
        .destination(
            Destination.named("shop", shop)
                .allTypes()
                .retry(QUICK)
                // All keys fail once at the same position, which is no outage.
                .breakerAfter(KEYS + 1)
                .build())
        .build()
        .start();
  }

  private PurgeReport purge() {
    return lanes.store().purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
  }

  /** Without repetitions: a relay that loses its lane on a busy machine sends again. */
  private static List<Message> sent(FakeConnector shop) {
    Map<UUID, Message> first = new LinkedHashMap<>();
    shop.acknowledged().forEach(message -> first.putIfAbsent(message.id(), message));
    return List.copyOf(first.values());
  }

  private static List<Integer> sentOf(FakeConnector shop, int key) {
    return sent(shop).stream()
        .map(TestMessages::content)
        .filter(content -> content.startsWith("k" + key + ":"))
        .map(content -> Integer.valueOf(content.substring(content.indexOf(':') + 1)))
        .toList();
  }

  private static long seenBy(Connection reader) throws SQLException {
    try (Statement statement = reader.createStatement();
        ResultSet row = statement.executeQuery("SELECT count(*) FROM posthorn_log")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
