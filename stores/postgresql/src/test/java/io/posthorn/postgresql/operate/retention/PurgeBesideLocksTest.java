package io.posthorn.postgresql.operate.retention;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Move;
import io.posthorn.postgresql.OldMessages;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A purge leaves rows that others have locked as they are, and continues with the rest. */
class PurgeBesideLocksTest {
  private static final String ORPHANS =
      """
      INSERT INTO posthorn_parked
             (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
              occurred_at, recorded_at, seq, position, waiting)
      SELECT destination, gen_random_uuid(), 'Tested', 1, 'Thing', 'orphan', '', '', '{}', now(), now(), 1, 1, 'TURN'
        FROM unnest(ARRAY['shop', 'unrouted']) AS destination
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final PostgresqlStore store = PostgresqlStore.on(database.dataSource());

  @AfterEach
  void close() {
    database.close();
  }

  private PurgeReport purge() {
    return store.purge(RetentionTimes.DEFAULT, Archive.NONE, step -> true);
  }

  private Connection locked(String rows) throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 FROM " + rows + " FOR NO KEY UPDATE");
    }
    return connection;
  }

  private List<String> asleep() {
    return database.query(
        "SELECT destination FROM posthorn_parked WHERE next_attempt_at IS NULL",
        row -> row.getString(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"posthorn_lane", "posthorn_parked"})
  void messages_left_behind_are_woken_under_the_lock_of_their_lane_and_stop_no_purge(String table)
      throws SQLException {
    OldMessages.add(database, 10);
    database.execute(ORPHANS);
    try (Connection other = locked(table + " WHERE destination = 'shop'")) {
      assertThat(purge().emptied()).anyMatch(leaf -> leaf.startsWith("posthorn_log"));
      assertThat(asleep()).containsExactly("shop");
      other.rollback();
    }
    purge();
    assertThat(asleep()).isEmpty();
  }

  @Test
  void a_message_whose_turn_has_come_does_not_wait_for_a_clock_that_was_set_back() {
    TestLane shop = new TestLanes(database).take("shop");
    shop.state();
    database.execute(ORPHANS);
    purge();
    database.pass(Duration.ofHours(-5));
    assertThat(shop.parked()).as("before").isEmpty();
    purge();
    assertThat(shop.parked()).hasSize(1);
  }

  @Test
  void a_dead_letter_that_somebody_has_in_hand_is_left_to_the_next_purge() throws SQLException {
    TestLanes lanes = new TestLanes(database);
    TestLane shop = lanes.take("shop");
    for (String key : List.of("a", "b", "c")) {
      lanes.add(keyed(key, key));
      Batch batch = shop.batch();
      Reason reason = new Reason("HTTP_400", "", "");
      shop.settle(
          batch,
          new Move.Die(batch.deliveries().get(0), 1, "HTTP_400", reason, AfterDead.CONTINUE));
    }
    database.pass(Duration.ofDays(31));
    try (Connection other = locked("posthorn_dead WHERE key = 'b'")) {
      assertThat(purge().expired()).isEqualTo(2);
      assertThat(database.dead("shop")).hasSize(1);
      other.rollback();
    }
    assertThat(purge().expired()).isEqualTo(1);
  }
}
