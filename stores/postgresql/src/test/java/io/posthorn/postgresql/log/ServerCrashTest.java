package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.Batch;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.Tables;
import io.posthorn.postgresql.TestLanes;
import io.posthorn.testkit.Oracle;
import io.posthorn.testkit.TestLane;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * The server crashes, restarts, and reuses the ids of transactions that left no trace. A cursor
 * that took such an id for finished would skip what is written under it later.
 */
class ServerCrashTest {
  private static final int CRASHES = 4;
  private static final List<String> KEYS = List.of("a", "b", "c");

  @Test
  void no_message_is_skipped_when_ids_are_used_again_after_a_crash() throws Exception {
    // Nothing is written to disk until it is requested, so the crash loses that much.
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().durable(true).setting("wal_writer_delay", "10s").start()) {
      DataSource dataSource = postgres.dataSource();
      new Migrations(Tables.DEFAULT).migrate(dataSource);
      Oracle oracle = Oracle.in(dataSource).keys(KEYS);
      TestLanes lanes = new TestLanes(dataSource);
      Outbox outbox = Outbox.on(lanes.store(), Oracle.TYPES).build();
      TestLane lane = lanes.take("shop");
      int reused = 0;
      for (int crash = 0; crash < CRASHES; crash++) {
        try (Connection connection = dataSource.getConnection()) {
          connection.setAutoCommit(false);
          asynchronously(connection);
          produce(oracle, outbox, connection, true);
          leaveNoTrace(connection, 3);
          // A relay reads while the newest finished transaction has left no trace.
          deliver(lane, oracle, crash % 2 == 0);
          leaveNoTrace(connection, 1 + crash);
          produce(oracle, outbox, connection, true);
          lanes.store().head();
          long last = leaveNoTrace(connection, 2);
          postgres.kill();
          postgres.start();
          reused += nextId(dataSource) <= last ? 1 : 0;
        }
        try (Connection connection = dataSource.getConnection()) {
          connection.setAutoCommit(false);
          for (int i = 0; i < 12; i++) {
            produce(oracle, outbox, connection, i % 4 != 0);
          }
        }
        deliver(lane, oracle, true);
      }
      assertThat(reused).as("ids were used again").isPositive();
      oracle.assertClean();
      assertThat(oracle.committed()).isGreaterThan(CRASHES * 20L);
    }
  }

  private static void asynchronously(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET synchronous_commit = off");
    }
    connection.commit();
  }

  private static void produce(Oracle oracle, Outbox outbox, Connection connection, boolean commit)
      throws SQLException {
    oracle.produce(connection, outbox, KEYS);
    if (commit) {
      connection.commit();
    } else {
      connection.rollback();
    }
  }

  /** Runs transactions that get an id and roll back. Returns the id of the last one. */
  private static long leaveNoTrace(Connection connection, int transactions) throws SQLException {
    long id = 0;
    for (int i = 0; i < transactions; i++) {
      try (Statement statement = connection.createStatement();
          var row = statement.executeQuery("SELECT pg_current_xact_id()::text::bigint")) {
        row.next();
        id = row.getLong(1);
      }
      connection.rollback();
    }
    return id;
  }

  private static long nextId(DataSource dataSource) {
    return Jdbc.number(dataSource, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint");
  }

  private static void deliver(TestLane lane, Oracle oracle, boolean settle) {
    for (Batch batch = lane.claim(TestLane.atMost(5)).batch();
        batch != null;
        batch = settle ? lane.claim(TestLane.atMost(5)).batch() : null) {
      for (var delivery : batch.deliveries()) {
        Message message = delivery.message();
        oracle.observe(message);
      }
      if (settle) {
        lane.settle(batch);
      }
    }
  }
}
