package io.posthorn.postgresql.inbox;

import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.inbox.ReceiptState;
import io.posthorn.postgresql.schema.ReceiptRing;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Reads receipts for people. */
public final class ReceiptReader {
  // Planned for these slots only, so that other leaves are not touched.
  private static final Sql FIND =
      Sql.of(
          "find receipts",
          """
          SELECT consumer, sender, id, state, encode(digest, 'hex') AS digest, encode(corrected, 'hex') AS corrected,
                 received_at, handled_at
            FROM posthorn_receipt
           WHERE slot IN (:slot, -1)
             AND consumer = ANY (CASE WHEN :consumer = '*'
                                      THEN ARRAY (SELECT name FROM posthorn_destination WHERE direction = 'IN')
                                      ELSE ARRAY[:consumer]
                                 END)
             AND id = :id
           ORDER BY consumer, sender
          """);

  private static final Sql LIST =
      Sql.of(
          "list receipts",
          """
          SELECT consumer, sender, id, state, encode(digest, 'hex') AS digest, encode(corrected, 'hex') AS corrected,
                 received_at, handled_at
            FROM posthorn_receipt
           WHERE consumer = :consumer
             AND (CAST(:sender AS text) IS NULL OR sender = :sender)
             AND (CAST(:state AS text) IS NULL OR state = :state)
             AND received_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND received_at < coalesce(CAST(:until AS timestamptz), 'infinity')
           ORDER BY received_at DESC, id
           LIMIT :limit
          """);

  private static final Sql COUNT =
      Sql.of(
          "count receipts",
          """
          SELECT count(*)
            FROM posthorn_receipt
           WHERE consumer = :consumer
             AND (CAST(:sender AS text) IS NULL OR sender = :sender)
             AND (CAST(:state AS text) IS NULL OR state = :state)
             AND received_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND received_at < coalesce(CAST(:until AS timestamptz), 'infinity')
          """);

  private final Database database;

  public ReceiptReader(Database database) {
    this.database = database;
  }

  public List<Receipt> find(String consumer, UUID id) {
    Integer day = ReceivedBatch.day(id);
    return database.ask(
        "looking for receipts of " + id,
        FIND,
        query ->
            query
                .set("consumer", consumer)
                .set("slot", day == null ? ReceiptRing.UNDATED : day % ReceiptRing.LEAVES)
                .set("id", id)
                .rows(ReceiptReader::receipt));
  }

  public List<Receipt> list(ReceiptQuery which, int limit) {
    return database.ask(
        "listing receipts",
        LIST,
        query -> set(query, which).set("limit", limit).rows(ReceiptReader::receipt));
  }

  public long count(ReceiptQuery which) {
    return database.ask(
        "counting receipts",
        COUNT,
        query -> Objects.requireNonNull(set(query, which).first(row -> row.getLong(1))));
  }

  static Query set(Query query, ReceiptQuery which) throws SQLException {
    return query
        .set("consumer", which.consumer())
        .set("sender", which.sender())
        .set("state", which.state() == null ? null : which.state().name())
        .set("from", which.from() == null ? null : which.from().toString())
        .set("until", which.until() == null ? null : which.until().toString());
  }

  private static Receipt receipt(ResultSet row) throws SQLException {
    return new Receipt(
        row.getString("consumer"),
        row.getString("sender"),
        row.getObject("id", UUID.class),
        ReceiptState.valueOf(row.getString("state")),
        row.getString("digest"),
        row.getString("corrected"),
        Times.instant(row, "received_at"),
        Times.nullable(row, "handled_at"));
  }
}
