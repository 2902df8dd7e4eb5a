package io.posthorn.benchmarks;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The upper bound for a relay: one plain cursor reads the log on one connection, ordered by seq, a
 * thousand rows per fetch. It creates the same objects that a relay sends. Values are transferred
 * as binary from the first row on.
 */
final class CursorRead {
  private static final int FETCH = 1_000;
  private static final String BINARY = "&prepareThreshold=-1";

  private static final String READ =
      """
      SELECT seq, id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
             (date_part('epoch', occurred_at) * 1000000)::bigint,
             (date_part('epoch', recorded_at) * 1000000)::bigint,
             (date_part('epoch', not_before) * 1000000)::bigint
        FROM posthorn_log
       ORDER BY seq
      """;

  private CursorRead() {}

  /** Reads the whole log, and returns the messages per second. */
  static double perSecond(Database database, long expected) {
    return perSecond(database, expected, page -> {}, () -> {});
  }

  /** Reads the whole log, passes each page on, and measures until {@code last} returns. */
  static double perSecond(
      Database database, long expected, Consumer<List<Delivery>> pages, Runnable last) {
    try (Connection connection = DriverManager.getConnection(database.url() + BINARY)) {
      connection.setAutoCommit(false);
      try (PreparedStatement statement = connection.prepareStatement(READ)) {
        statement.setFetchSize(FETCH);
        long began = System.nanoTime();
        long read = read(statement, pages);
        last.run();
        double seconds = (System.nanoTime() - began) / 1e9;
        if (read != expected) {
          throw new BenchException("the cursor read " + read + " of " + expected + " messages");
        }
        return read / seconds;
      }
    } catch (SQLException e) {
      throw new BenchException("the plain cursor failed", e);
    }
  }

  private static long read(PreparedStatement statement, Consumer<List<Delivery>> pages)
      throws SQLException {
    long read = 0;
    List<Delivery> page = new ArrayList<>(FETCH);
    try (ResultSet row = statement.executeQuery()) {
      while (row.next()) {
        page.add(delivery(row));
        if (page.size() == FETCH) {
          read += page.size();
          pages.accept(page);
          page = new ArrayList<>(FETCH);
        }
      }
    }
    pages.accept(page);
    return read + page.size();
  }

  // A copy of the store's own mapping, which is not public.
  private static Delivery delivery(ResultSet row) throws SQLException {
    String aggregateType = row.getString(5);
    long notBefore = row.getLong(13);
    boolean scheduled = !row.wasNull();
    Message message =
        new Message(
            row.getObject(2, UUID.class),
            false,
            row.getString(3),
            row.getInt(4),
            aggregateType == null ? null : new Key(aggregateType, row.getString(6)),
            row.getBytes(7),
            row.getString(8),
            headers(row.getString(9)),
            instant(row.getLong(11)),
            scheduled ? instant(notBefore) : null);
    return new Delivery(
        message,
        row.getLong(1),
        instant(row.getLong(12)),
        0,
        Duration.ZERO,
        false,
        row.getString(10));
  }

  private static Map<String, String> headers(String json) {
    if (!json.equals("{}")) {
      throw new BenchException("a message of the benchmark has headers: " + json);
    }
    return Map.of();
  }

  private static Instant instant(long micros) {
    return Instant.ofEpochSecond(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1_000L);
  }
}
