package io.posthorn.postgresql.parked;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.Plans;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.sql.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parked messages of a key are found by the index of keys, whatever the planner believes. */
class KeyPlansTest {
  private static final int ROWS = 50_000;
  private static final Map<Belief, PostgresqlDatabase> DATABASES = new EnumMap<>(Belief.class);

  /** The planner's statistics of the table, which are not updated. */
  enum Belief {
    /** The planner expects that the first message it finds has the right key. */
    ALL_HAVE_ONE_KEY,
    /** The planner considers the index with the fewest pages the cheapest. */
    MANY_PAGES_WITHOUT_A_ROW,
    NOTHING
  }

  @BeforeAll
  static void park() throws SQLException {
    for (Belief belief : Belief.values()) {
      PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
      DATABASES.put(belief, database);
      database.execute("ALTER TABLE posthorn_parked SET (autovacuum_enabled = off)");
      database.execute("INSERT INTO posthorn_destination (name, direction) VALUES ('shop', 'IN')");
      try (Connection connection = database.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        connection.setAutoCommit(false);
        if (belief == Belief.ALL_HAVE_ONE_KEY) {
          statement.execute(insert("'k'"));
          statement.execute("ANALYZE posthorn_parked");
          statement.execute("DELETE FROM posthorn_parked");
        }
        statement.execute(insert("'other' || n"));
        if (belief == Belief.MANY_PAGES_WITHOUT_A_ROW) {
          database.execute("ANALYZE posthorn_parked");
        }
        connection.commit();
      }
    }
  }

  private static String insert(String key) {
    return """
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
        SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', %s, '', 'text/plain', '{}', now(), now(), n, n, 'RETRY',
               CASE WHEN n <= 300 THEN now() ELSE now() + interval '1 day' END
          FROM generate_series(1, %d) n
        """
        .formatted(key, ROWS);
  }

  @AfterAll
  static void discard() {
    DATABASES.values().forEach(PostgresqlDatabase::discard);
  }

  /** With a search, each of the 300 keys would cost as many rows as the table has. */
  @ParameterizedTest
  @EnumSource
  void keys_are_looked_up_by_relays(Belief belief) throws SQLException {
    Plans plans = new Plans(DATABASES.get(belief));
    for (Sql sql :
        List.of(
            Blocked.AMONG,
            ParkedWriter.WAKE,
            Edges.RAISE_KEYS,
            ParkedReader.RUNS,
            ParkedClaims.HEADS)) {
      String plan = plans.analyze(sql);
      assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(5_000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void keys_are_looked_up_by_receivers(Belief belief) throws SQLException {
    String receive =
        """
        EXPLAIN (ANALYZE, BUFFERS, COSTS off)
        SELECT posthorn_receive('shop', 'RECEIVE', false, true, false, array_agg('sender'::text),
                                array_agg(gen_random_uuid()), array_agg(NULL::int), array_agg('\\x00'::bytea),
                                array_agg('T'::text), array_agg('A'::text), array_agg('k' || n), array_agg(n::bigint))
          FROM generate_series(1, 300) n
        """;
    try (Connection connection = DATABASES.get(belief).dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      StringBuilder plan = new StringBuilder();
      try (ResultSet lines = statement.executeQuery(receive)) {
        while (lines.next()) {
          plan.append(lines.getString(1)).append('\n');
        }
      }
      connection.rollback();
      assertThat(Plans.buffers(plan.toString())).as(plan.toString()).isLessThan(20_000);
    }
  }
}
