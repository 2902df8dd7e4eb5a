package io.posthorn.postgresql.log;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.postgresql.TestServer;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A transaction uses up thousands of ids, one for each savepoint. */
class ManySavepointsTest {
  private static final String USE_UP_IDS =
      """
      DO $$
      BEGIN
        FOR i IN 1..3000 LOOP
          BEGIN
            INSERT INTO posthorn_noted_id (id) VALUES (gen_random_uuid());
          EXCEPTION WHEN OTHERS THEN
            RAISE;
          END;
        END LOOP;
      END
      $$
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();
  private final TestLanes lanes = new TestLanes(database);

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void nothing_is_skipped_or_doubled_beside_it() throws Exception {
    TestLane shop = lanes.take("shop");
    List<String> seen = new ArrayList<>();
    try (Connection early = begin();
        Connection large = begin();
        Connection late = begin();
        Statement statement = large.createStatement()) {
      lanes.commit("1");
      seen.addAll(shop.drain());
      add(early, "early");
      add(large, "large 1");
      statement.execute(USE_UP_IDS);
      add(late, "late");
      early.commit();
      // More transactions must have begun since the newest finished one than a snapshot lists.
      // Transactions of the server itself (a vacuum, statistics) may end in between; then the test
      // tries again.
      await("ids that nothing has ended since")
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                statement.execute(USE_UP_IDS);
                return begunSinceTheNewestEnded() > 1_000;
              });
      seen.addAll(shop.drain());
      late.commit();
      statement.execute(USE_UP_IDS);
      seen.addAll(shop.drain());
      add(large, "large 2");
      lanes.commit("2");
      seen.addAll(shop.drain());
      large.commit();
      lanes.commit("3");
      seen.addAll(shop.drain());
    }
    assertThat(seen).containsExactly("1", "early", "late", "2", "large 1", "large 2", "3");
  }

  private Connection begin() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private long begunSinceTheNewestEnded() {
    return Jdbc.number(
        database.dataSource(),
        "SELECT 3 + age(xid '3') - pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
  }

  private void add(Connection connection, String content) {
    lanes.store().append(connection, List.of(message(content)), List.of(""), false);
  }
}
