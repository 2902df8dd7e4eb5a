package io.posthorn.postgresql.operate.figures;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Plans;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Figures are read every few seconds, so their cost must not grow with the stored data. */
class FiguresCostTest {
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();

  /**
   * No destination has settled anything. One wants everything, one wants half of it, one wants
   * almost nothing. A transaction was open when they were registered, and had written before.
   */
  @BeforeAll
  static void fill() throws SQLException {
    DATABASE.execute(
        """
        INSERT INTO posthorn_log (id, type, payload)
        SELECT gen_random_uuid(), 'T', ''
          FROM generate_series(1, 150000) n
        """);
    try (Connection open = DATABASE.dataSource().getConnection()) {
      open.setAutoCommit(false);
      open.createStatement().execute("SELECT posthorn_add('T', '')");
      register();
      open.commit();
    }
    fillLater();
  }

  private static void register() {
    PostgresqlStore.on(DATABASE.dataSource())
        .register(
            "shop",
            List.of(
                new ServedDestination("mail", Set.of(ServedDestination.ALL_TYPES)),
                new ServedDestination("half", Set.of("Half")),
                new ServedDestination("rare", Set.of("Rare"))));
  }

  private static void fillLater() {
    DATABASE.execute(
        """
        INSERT INTO posthorn_log (id, type, aggregate_type, key, payload)
        SELECT md5(n::text)::uuid, CASE WHEN n % 2 = 0 THEN 'T' ELSE 'Half' END, 'A', 'k' || n % 20000, ''
          FROM generate_series(1, 150000) n;
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
        SELECT 'mail', gen_random_uuid(), 'T', 1, 'A', 'p' || n, '', 'text/plain', '{}', now(), now(), n, n,
               CASE WHEN n % 2 = 0 THEN 'TIME' ELSE 'TURN' END, CASE WHEN n % 2 = 0 THEN now() END
          FROM generate_series(1, 50000) n;
        INSERT INTO posthorn_dead
               (destination, message_id, type, schema_version, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, reason, last_reason, error, fingerprint, attempts,
                first_failed_at, last_failed_at, created_at, requeued_at, outcome, state)
        SELECT 'mail', gen_random_uuid(), 'T', 1, '', 'text/plain', '{}', now(), now(), n, n, 'X', 'X',
               'x', 'x', 1, now(), now(), now() - interval '30 days' * n / 50000,
               CASE WHEN n % 2 = 0 THEN now() END, CASE WHEN n % 2 = 0 THEN 'SENT' END,
               CASE WHEN n % 2 = 0 THEN 'REQUEUED' ELSE 'DEAD' END
          FROM generate_series(1, 50000) n;
        INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id)
        SELECT 'mail', 'A', 'p' || n, gen_random_uuid()
          FROM generate_series(1, 30000) n;
        """);
    DATABASE.execute("VACUUM (ANALYZE)");
  }

  @AfterAll
  static void discard() {
    DATABASE.discard();
  }

  @Test
  void no_figure_takes_more_than_some_ten_thousand_rows() {
    HikariConfig one = new HikariConfig();
    one.setDataSource(DATABASE.as("postgres"));
    one.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(one)) {
      long before = rowsRead(pool);
      Figures figures = PostgresqlStore.on(pool).figures(RetentionTimes.DEFAULT);
      // Reads up to 10,000 messages each for the destination that wants almost nothing and for the
      // unrouted.
      assertThat(rowsRead(pool) - before).isLessThan(30_000);
      assertThat(figures.destinations())
          .filteredOn(mail -> mail.name().equals("mail"))
          .singleElement()
          .satisfies(
              mail -> {
                assertThat(mail.pending().estimated()).isTrue();
                assertThat(mail.pending().number()).isBetween(180_000L, 220_000L);
                assertThat(mail.parkedKeys().number()).isBetween(40_000L, 60_000L);
                assertThat(mail.dead().estimated()).isTrue();
                assertThat(mail.dead().number()).isBetween(22_500L, 27_500L);
              });
      assertThat(figures.destinations())
          .filteredOn(half -> half.name().equals("half"))
          .singleElement()
          .matches(half -> half.pending().estimated() && !half.oldestAtMost())
          .matches(half -> Math.abs(half.pending().number() - 75_000) < 7_500);
      // The letters of the last week of thirty days.
      assertThat(figures.expiring())
          .singleElement()
          .matches(old -> old.count().estimated())
          .matches(old -> Math.abs(old.count().number() - 5_833) < 1_000)
          .matches(old -> old.first().abs().toMinutes() < 10);
      assertThat(figures.letters())
          .singleElement()
          .matches(dead -> dead.count().estimated())
          .matches(dead -> Math.abs(dead.count().number() - 25_000) < 2_500);
      assertThat(figures.rescues())
          .filteredOn(rescues -> rescues.outcome().equals("SENT"))
          .singleElement()
          .matches(sent -> Math.abs(sent.count().number() - 25_000) < 2_500);
    }
  }

  /** Above this cost, a server with default settings compiles the query, which takes seconds. */
  @Test
  void queries_of_people_in_psql_are_not_jit_compiled() {
    int compiled =
        DATABASE
            .query(
                "SELECT setting FROM pg_settings WHERE name = 'jit_above_cost'",
                row -> row.getInt(1))
            .get(0);
    for (String asked :
        List.of(
            "posthorn_backlog",
            "posthorn_destination_status",
            "posthorn_message_state WHERE key = 'k7'",
            "posthorn_message_state WHERE id = md5('7')::uuid")) {
      String plan =
          DATABASE.query("EXPLAIN SELECT * FROM " + asked, row -> row.getString(1)).get(0);
      assertThat(Double.parseDouble(plan.replaceAll(".*\\.\\.([0-9.]+) rows.*", "$1")))
          .as(asked)
          .isLessThan(compiled);
    }
    assertThat(
            DATABASE.query(
                "SELECT proconfig::text FROM pg_proc WHERE proname ~ '(backlog|destination_status)_rows$'",
                row -> row.getString(1)))
        .containsExactly("{jit=off}", "{jit=off}");
  }

  @Test
  void each_is_read_by_an_index_that_ends_early() throws SQLException {
    Map<Sql, Integer> most =
        Map.of(
            FiguresReader.DESTINATIONS, 55_000,
            FiguresReader.PARKED, 400,
            LetterFigures.LETTERS, 12_000,
            LetterFigures.OF_EACH, 1_100,
            RescueFigures.RESCUES, 10_100,
            ExpiringFigures.EXPIRING, 200);
    for (Map.Entry<Sql, Integer> each : most.entrySet()) {
      String plan = new Plans(DATABASE).analyze(each.getKey());
      assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(each.getValue());
      assertThat(plan)
          .doesNotContain("Bitmap")
          .doesNotContainPattern("Seq Scan on posthorn_(log|parked|dead|progress)");
    }
  }

  /** Counts the rows read from all tables, by this connection and all before it. */
  private static long rowsRead(HikariDataSource pool) {
    Jdbc.query(pool, "SELECT pg_stat_force_next_flush()", row -> 0);
    Jdbc.query(pool, "SELECT pg_stat_clear_snapshot()", row -> 0);
    return Jdbc.number(
        pool,
        "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_user_tables");
  }
}
