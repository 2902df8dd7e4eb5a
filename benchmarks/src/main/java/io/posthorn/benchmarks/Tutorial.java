package io.posthorn.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The outbox that tutorials teach. A table with a status column is claimed a hundred rows at a time
 * with SKIP LOCKED. Each message is marked SENT by its own UPDATE, with one commit per batch and
 * one worker.
 */
final class Tutorial {
  private static final String TABLE =
      """
      CREATE TABLE bench_tutorial (
        id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        message_id     uuid        NOT NULL,
        status         text        NOT NULL DEFAULT 'PENDING',
        type           text        NOT NULL,
        aggregate_type text        NOT NULL,
        key            text        NOT NULL,
        payload        bytea       NOT NULL,
        created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
        sent_at        timestamptz
      )
      """;

  private static final String INDEX = "CREATE INDEX ON bench_tutorial (status, id)";

  private static final String WRITE =
      """
      INSERT INTO bench_tutorial (message_id, type, aggregate_type, key, payload)
      SELECT gen_random_uuid(), '%s', 'order', 'key-' || n %% %d,
             convert_to(rpad('{"n":' || n || ',"text":"', %d, 'x') || '"}', 'UTF8')
        FROM generate_series(1, %d) AS n
      """;

  private static final String CLAIM =
      """
      UPDATE bench_tutorial
         SET status = 'IN_FLIGHT'
       WHERE id IN (SELECT id
                      FROM bench_tutorial
                     WHERE status = 'PENDING'
                     ORDER BY id
                     LIMIT 100
                       FOR UPDATE SKIP LOCKED)
      RETURNING id, message_id, type, aggregate_type, key, payload
      """;

  private static final String SENT =
      """
      UPDATE bench_tutorial
         SET status = 'SENT',
             sent_at = clock_timestamp()
       WHERE id = ?
      """;

  private record Claimed(long id, UUID messageId, String type, String key, int payload) {}

  private final Database database;

  Tutorial(Database database) {
    this.database = database;
  }

  /** Fills a new table, delivers its messages, and returns the messages per second. */
  double perSecond(int messages) {
    database.execute(
        "DROP TABLE IF EXISTS bench_tutorial",
        TABLE,
        INDEX,
        WRITE.formatted(Backlog.TYPE, Backlog.KEYS, Backlog.PAYLOAD - 2, messages),
        "VACUUM (ANALYZE) bench_tutorial",
        "CHECKPOINT");
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      long began = System.nanoTime();
      int sent = 0;
      for (int batch = batch(connection); batch > 0; batch = batch(connection)) {
        sent += batch;
      }
      double seconds = (System.nanoTime() - began) / 1e9;
      if (sent != messages) {
        throw new BenchException("the tutorial design sent " + sent + " of " + messages);
      }
      return sent / seconds;
    } catch (SQLException e) {
      throw new BenchException("the tutorial design failed", e);
    }
  }

  private static int batch(Connection connection) throws SQLException {
    List<Claimed> claimed = new ArrayList<>();
    try (PreparedStatement claim = connection.prepareStatement(CLAIM);
        ResultSet row = claim.executeQuery()) {
      while (row.next()) {
        claimed.add(
            new Claimed(
                row.getLong(1),
                row.getObject(2, UUID.class),
                row.getString(3),
                row.getString(5),
                row.getBytes(6).length));
      }
    }
    try (PreparedStatement sent = connection.prepareStatement(SENT)) {
      for (Claimed message : claimed) {
        sent.setLong(1, message.id);
        sent.executeUpdate();
      }
    }
    connection.commit();
    return claimed.size();
  }
}
