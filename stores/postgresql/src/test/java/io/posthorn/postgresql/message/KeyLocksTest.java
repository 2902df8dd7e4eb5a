package io.posthorn.postgresql.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Ordered adds lock their keys in one order, whatever the order of the messages. */
class KeyLocksTest {
  private static final int CLASS = 1349350516;
  private static final int KEYS = 60;

  private static final String LOCKED =
      """
      SELECT objid::bigint - CASE WHEN objid::bigint > 2147483647 THEN 4294967296 ELSE 0 END
        FROM pg_locks
       WHERE locktype = 'advisory'
         AND classid = %d
         AND granted = %s
         AND pid = %d
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       ORDER BY 1
      """;

  private final PostgresqlDatabase database = TestServer.newest().database();

  @AfterEach
  void close() {
    database.close();
  }

  /** One key is locked already: by then the waiting call holds exactly the keys before it. */
  @Test
  void the_keys_of_one_call_are_locked_from_the_lowest_hash_up() throws Exception {
    List<String> keys = keys(0, KEYS);
    List<Long> hashes = hashes(keys);
    for (int taken : List.of(0, 1, KEYS / 2, KEYS - 1)) {
      Collections.reverse(keys);
      try (Connection other = begin();
          Connection waiting = begin()) {
        execute(other, "SELECT pg_advisory_xact_lock(%d, %d)".formatted(CLASS, hashes.get(taken)));
        int pid = pid(waiting);
        CompletableFuture<Void> locking = CompletableFuture.runAsync(() -> lock(waiting, keys));
        await().until(() -> locked(false, pid).equals(List.of(hashes.get(taken))));
        assertThat(locked(true, pid)).isEqualTo(hashes.subList(0, taken));
        other.rollback();
        locking.join();
        assertThat(locked(true, pid)).isEqualTo(hashes);
        waiting.rollback();
      }
    }
  }

  @Test
  void calls_that_name_the_same_keys_in_opposite_orders_never_deadlock() {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int writer = 0; writer < 4; writer++) {
      // Each call shares half of its keys with the next one, so no two sets are equal.
      List<String> keys = keys(writer * KEYS / 2, KEYS);
      if (writer % 2 == 1) {
        Collections.reverse(keys);
      }
      all.add(
          CompletableFuture.runAsync(
              () -> {
                try (Connection tx = begin()) {
                  for (int i = 0; i < 100; i++) {
                    lock(tx, keys);
                    tx.commit();
                  }
                } catch (SQLException e) {
                  throw new AssertionError(e);
                }
              }));
    }
    all.forEach(CompletableFuture::join);
  }

  @Test
  void a_key_that_is_named_often_counts_once() {
    String calls =
        "SELECT posthorn_lock_keys(array_agg('Thing/' || n %% 3)) FROM generate_series(1, %d) n";
    assertThat(Jdbc.number(database.dataSource(), calls.formatted(5_000))).isEqualTo(3);
  }

  private static List<String> keys(int from, int count) {
    return IntStream.range(from, from + count)
        .mapToObj(i -> "Thing/" + i)
        .collect(Collectors.toCollection(ArrayList::new));
  }

  private List<Long> hashes(List<String> keys) {
    return database.query(
        "SELECT DISTINCT hashtext(k COLLATE \"C\") FROM unnest(%s) AS k ORDER BY 1"
            .formatted(array(keys)),
        row -> row.getLong(1));
  }

  private List<Long> locked(boolean granted, int pid) {
    return database.query(LOCKED.formatted(CLASS, granted, pid), row -> row.getLong(1));
  }

  private static void lock(Connection tx, List<String> keys) {
    try {
      execute(tx, "SELECT posthorn_lock_keys(%s)".formatted(array(keys)));
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static String array(List<String> keys) {
    return "ARRAY['" + String.join("', '", keys) + "']";
  }

  private Connection begin() throws SQLException {
    Connection connection = database.dataSource().getConnection();
    connection.setAutoCommit(false);
    return connection;
  }

  private static int pid(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
