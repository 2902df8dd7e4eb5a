package io.posthorn.postgresql.parked;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.Plans;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.SQLException;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Without the index by key, a claim reads a bounded part of the log once, whatever falls due and
 * however long the backlog is.
 */
class WithoutFindingTest {
  private static final int BACKLOG = 50_000;
  private static final Pattern OF_THE_LOG =
      Pattern.compile(" on posthorn_log_.*actual rows=([0-9.]+) loops=([0-9]+)");

  private PostgresqlDatabase database;
  private TestLane shop;

  @BeforeEach
  void backlog() {
    database = TestServer.newest().databaseOfItsOwn();
    database.execute("DROP INDEX posthorn_log_key_seq_idx");
    TestLanes lanes = new TestLanes(database);
    shop = lanes.take("shop");
    shop.drain();
    lanes.add(keyed("near", "in the log"));
    database.execute(
        """
        INSERT INTO posthorn_log (id, type, aggregate_type, key, payload)
        SELECT gen_random_uuid(), 'T', 'Thing', 'k' || n, '' FROM generate_series(1, %d) n
        """
            .formatted(BACKLOG));
  }

  @AfterEach
  void discard() {
    database.discard();
  }

  /** Parks a message as due, {@code behind} sequence numbers before the first of the log. */
  private void park(String key, int behind) {
    database.execute(
        """
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, seq, position, waiting, next_attempt_at, beside)
        SELECT 'shop', gen_random_uuid(), 'T', 1, 'Thing', '%1$s', '%1$s', 'text/plain', '{}',
               now(), now(), l.first, l.first + %2$d, 'TURN', now(), true
          FROM (SELECT min(seq) AS first FROM posthorn_log) l
        """
            .formatted(key, behind));
  }

  @Test
  void what_falls_due_near_the_cursor_goes_and_what_is_far_behind_waits_for_the_lane() {
    park("free", 10);
    park("near", 20);
    park("far", BACKLOG + 10);
    assertThat(TestLane.contents(shop.parked())).containsExactly("free");
    shop.drain();
    database.execute("UPDATE posthorn_parked SET next_attempt_at = now()");
    assertThat(TestLane.contents(shop.parked())).contains("near", "far");
  }

  /** These are the messages that {@link Plans} asks for. */
  @Test
  void the_log_is_read_once_and_in_part_for_all_that_fall_due() throws SQLException {
    for (int i = 1; i <= 3; i++) {
      park(String.valueOf(i), BACKLOG - i);
      database.execute(
          "UPDATE posthorn_parked SET message_id = md5(key)::uuid WHERE key = '%d'".formatted(i));
    }
    String plan = new Plans(database).analyze(UnreadBefore.STAND_BEHIND_UNINDEXED);
    assertThat(rowsOfTheLog(plan)).as(plan).isBetween(1.0, 20_000.0);
  }

  private static double rowsOfTheLog(String plan) {
    return OF_THE_LOG
        .matcher(plan)
        .results()
        .mapToDouble(scan -> Double.parseDouble(scan.group(1)) * Double.parseDouble(scan.group(2)))
        .sum();
  }
}
