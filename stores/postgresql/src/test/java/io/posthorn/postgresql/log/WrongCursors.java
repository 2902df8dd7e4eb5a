package io.posthorn.postgresql.log;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.Jdbc;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.testkit.Oracle;
import java.util.List;
import java.util.function.Function;

/** Common ways to read an outbox table that lose or reorder messages. */
final class WrongCursors {
  private static final String COLUMNS =
      """
      SELECT seq, id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
             (date_part('epoch', occurred_at) * 1000000)::bigint,
             (date_part('epoch', recorded_at) * 1000000)::bigint,
             (date_part('epoch', not_before) * 1000000)::bigint,
             tx::text::bigint
        FROM posthorn_log
      """;

  private record Row(Message message, long seq, long tx) {}

  private WrongCursors() {}

  /** Assumes that everything up to the highest number seen is done. */
  static LogCursor bySeq(PostgresqlDatabase database, Oracle oracle) {
    return cursor(
        database,
        oracle,
        last -> " WHERE seq > %d ORDER BY seq LIMIT 100".formatted(last.seq),
        new Row(null, last(database), 0));
  }

  /** Reads by transaction, and assumes that nothing new appears below the oldest running one. */
  static LogCursor byXmin(PostgresqlDatabase database, Oracle oracle) {
    return cursor(
        database,
        oracle,
        last ->
            """
             WHERE (tx, seq) > ('%d'::xid8, %d)
               AND tx < pg_snapshot_xmin(pg_current_snapshot())
             ORDER BY tx, seq
             LIMIT 100
            """
                .formatted(last.tx, last.seq),
        new Row(null, last(database), 0));
  }

  private static long last(PostgresqlDatabase database) {
    return Jdbc.number(database.dataSource(), "SELECT coalesce(max(seq), 0) FROM posthorn_log");
  }

  private static LogCursor cursor(
      PostgresqlDatabase database, Oracle oracle, Function<Row, String> where, Row start) {
    Row[] last = {start};
    return () -> {
      List<Row> page = database.query(COLUMNS + where.apply(last[0]), WrongCursors::row);
      for (Row row : page) {
        oracle.observe(row.message);
        last[0] = row;
      }
      return !page.isEmpty();
    };
  }

  private static Row row(java.sql.ResultSet row) throws java.sql.SQLException {
    Delivery delivery = MessageRow.fromLog(row);
    return new Row(delivery.message(), delivery.seq(), row.getLong(14));
  }
}
