package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.Plans;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.NewestProgress;
import io.posthorn.postgresql.parked.Blocked;
import io.posthorn.postgresql.parked.Edges;
import io.posthorn.postgresql.parked.ParkedReader;
import io.posthorn.postgresql.parked.ParkedWriter;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * While a transaction holds a snapshot, removed rows stay in the tables and their indexes. The cost
 * of a relay's statements depends on what is parked now, not on what was parked before.
 */
class HeldSnapshotTest {
  private static final int ROUND = 1_000;
  private static final String SHOP = "shop";

  // Half of the messages have one common key, a quarter share fifty keys, and the rest have none.
  private static final String PARK =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, sender, waiting, next_attempt_at)
      SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', m.key, '', 'text/plain', '{}', now(), now(), m.seq, m.seq, 'there',
             CASE WHEN m.key IS NULL THEN 'TURN' ELSE 'BEHIND' END, CASE WHEN m.key IS NULL THEN clock_timestamp() END
        FROM (SELECT CASE n % 4 WHEN 0 THEN NULL WHEN 1 THEN 'k' || n / 4 % 50 ELSE 'k' END AS key,
                     CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('posthorn_seq') END AS seq
                FROM generate_series(1, 1000) AS n) m
      """;

  private static final String FAILING =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, sender, waiting, next_attempt_at)
      SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', 'failing', '', 'text/plain', '{}', now(), now(), m.seq, m.seq,
             'there', 'RETRY', clock_timestamp() + interval '1 day'
        FROM (SELECT nextval('posthorn_seq') AS seq) m
      """;

  private static final List<Sql> ASKED =
      List.of(
          LaneRow.LOOK,
          LaneRow.DUE_IN,
          SpeculativeClaim.RANGE,
          SpeculativeClaim.ALL,
          NewestProgress.SQL,
          Probe.LOOK,
          Blocked.AMONG,
          ParkedWriter.WAKE,
          ParkedReader.FALL_DUE,
          ParkedReader.TAKE_UP,
          ParkedReader.RUNS,
          Edges.RAISE,
          Edges.RAISE_KEYS);

  private PostgresqlDatabase database;
  private TestLane shop;

  @BeforeEach
  void serve() {
    database = TestServer.newest().databaseOfItsOwn();
    List<ServedDestination> all =
        List.of(new ServedDestination(SHOP, Set.of(ServedDestination.ALL_TYPES)));
    var store = database.store();
    store.register("tests", all);
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "relay", "tests");
    store.join(relay, all, Duration.ofMinutes(10));
    Lane lane = store.take(relay, SHOP, 0).orElseThrow();
    shop = new TestLane(store, lane);
    shop.state();
  }

  @AfterEach
  void discard() {
    database.discard();
  }

  private void comeAndGo(int rounds) {
    for (int round = 0; round < rounds; round++) {
      database.execute(PARK);
      int left = ROUND;
      while (left > 0) {
        List<Delivery> due = shop.parked(TestLane.atMost(250));
        assertThat(due).isNotEmpty();
        shop.settle(due.stream().map(Move.Sent::new).toArray(Move[]::new));
        left -= due.size();
      }
    }
  }

  private Map<Sql, Long> pages() throws SQLException {
    Map<Sql, Long> pages = new LinkedHashMap<>();
    Plans plans = new Plans(database);
    for (Sql sql : ASKED) {
      pages.put(sql, plans.buffers(sql));
    }
    return pages;
  }

  /** One message that fails all the time keeps its place before all others, or nothing does. */
  @ParameterizedTest
  @CsvSource({
    "SELECT 1, true",
    "SELECT 1, false",
    "CREATE TABLE written_by_it (n int), true",
    "CREATE TABLE written_by_it (n int), false"
  })
  void what_a_relay_asks_does_not_grow_with_what_has_been_parked_and_is_gone(
      String first, boolean oneFails) throws SQLException {
    if (oneFails) {
      database.execute(FAILING);
    }
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      connection.setAutoCommit(false);
      statement.execute(first);
      comeAndGo(4);
      Map<Sql, Long> before = pages();
      comeAndGo(16);
      Map<Sql, Long> after = pages();
      connection.rollback();
      after.forEach(
          (sql, pages) -> assertThat(pages).as(sql.text()).isLessThan(2 * before.get(sql) + 200));
    }
  }
}
