package io.posthorn.postgresql.parked;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.Plans;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The planner's statistics are from a moment with two parked messages, and now there are hundreds.
 * Each is still looked up by its key. Comparing them with each other would take a second for a
 * thousand, during which everyone who needs the lane waits.
 */
class FewParkedPlansTest {
  private static final PostgresqlDatabase DATABASE = TestServer.newest().databaseOfItsOwn();
  private static final Plans PLANS = new Plans(DATABASE);

  @BeforeAll
  static void park() {
    DATABASE.execute("ALTER TABLE posthorn_parked SET (autovacuum_enabled = off)");
    park(1, 2);
    DATABASE.execute("ANALYZE posthorn_parked");
    park(3, 300);
  }

  private static void park(int first, int last) {
    DATABASE.execute(
        """
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, waiting, next_attempt_at)
        SELECT 'shop', gen_random_uuid(), 'T', 1, 'A', 'k' || n, '', 'text/plain', '{}',
               now(), now(), n, n, 'TURN', now()
          FROM generate_series(%d, %d) n
        """
            .formatted(first, last));
  }

  @AfterAll
  static void discard() {
    DATABASE.discard();
  }

  @Test
  void each_is_looked_up_by_its_key() throws SQLException {
    for (Sql sql : List.of(ParkedReader.RUNS, Blocked.AMONG)) {
      String plan = PLANS.analyze(sql);
      assertThat(Plans.rowsRead(plan)).as(plan).isLessThan(1_500);
    }
  }
}
