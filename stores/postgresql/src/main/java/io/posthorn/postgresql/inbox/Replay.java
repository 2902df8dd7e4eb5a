package io.posthorn.postgresql.inbox;

import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.schema.ReceiptRing;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Marks receipts so that their messages are handled again when they arrive again. It walks along
 * the ids of one leaf after the other, a fixed number of receipts at a time, whether they match or
 * not. So no step is long, and none locks more rows than it changes.
 */
public final class Replay {
  private static final int CHUNK = 5_000;
  private static final UUID FIRST = new UUID(0, 0);

  private static final Sql STEP =
      Sql.of(
          "mark receipts",
          """
          WITH step AS MATERIALIZED (
            SELECT r.id, r.sender, r.state, r.received_at
              FROM posthorn_receipt r
             WHERE r.slot = :slot
               AND r.consumer = :consumer
               AND (r.id, r.sender) > (:after, :afterSender)
             ORDER BY r.id, r.sender
             LIMIT :chunk
          ), marked AS (
            UPDATE posthorn_receipt r
               SET state = 'AGAIN'
              FROM step s
             WHERE r.slot = :slot
               AND r.consumer = :consumer
               AND r.id = s.id
               AND r.sender = s.sender
               AND r.state IN ('HANDLED', 'SKIPPED_STALE')
               AND (CAST(:sender AS text) IS NULL OR s.sender = :sender)
               AND (CAST(:state AS text) IS NULL OR s.state = :state)
               AND s.received_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
               AND s.received_at < coalesce(CAST(:until AS timestamptz), 'infinity')
            RETURNING 1
          )
          SELECT last.id, last.sender, (SELECT count(*) FROM step) AS looked, (SELECT count(*) FROM marked) AS marked
            FROM (SELECT s.id, s.sender FROM step s ORDER BY s.id DESC, s.sender DESC LIMIT 1) last
          """);

  private static final Sql ONE =
      Sql.of(
          "mark receipt",
          """
          UPDATE posthorn_receipt
             SET state = 'AGAIN'
           WHERE slot IN (:slot, -1)
             AND consumer = :consumer
             AND id = :id
             AND state IN ('HANDLED', 'SKIPPED_STALE')
          """);

  private record Looked(UUID id, String sender, int receipts, int marked) {}

  private final Database database;

  public Replay(Database database) {
    this.database = database;
  }

  public boolean one(String consumer, UUID id, Actor by) {
    Integer day = ReceivedBatch.day(id);
    return database.transaction(
        "marking the receipt of " + id,
        tx -> {
          int marked;
          try (Query query = tx.query(ONE)) {
            marked =
                query
                    .set("slot", day == null ? ReceiptRing.UNDATED : day % ReceiptRing.LEAVES)
                    .set("consumer", consumer)
                    .set("id", id)
                    .update();
          }
          if (marked > 0) {
            audit(tx, by, "message " + id + ", consumer " + consumer, marked);
          }
          return marked > 0;
        });
  }

  public long all(ReceiptQuery which, Actor by) {
    long marked = 0;
    for (int slot : ReceiptRing.SLOTS) {
      Looked last = null;
      do {
        last = step(which, slot, last, by);
        marked += last == null ? 0 : last.marked;
      } while (last != null && last.receipts == CHUNK);
    }
    return marked;
  }

  private @Nullable Looked step(ReceiptQuery which, int slot, @Nullable Looked last, Actor by) {
    return database
        .transaction(
            "marking receipts of " + which.consumer(),
            tx -> {
              List<Looked> step = step(tx, which, slot, last);
              int marked = step.isEmpty() ? 0 : step.get(0).marked;
              if (marked > 0) {
                audit(tx, by, which.toString(), marked);
              }
              return step;
            })
        .stream()
        .findFirst()
        .orElse(null);
  }

  private static List<Looked> step(
      Database.Tx tx, ReceiptQuery which, int slot, @Nullable Looked last) throws SQLException {
    try (Query query = tx.query(STEP)) {
      return ReceiptReader.set(query, which)
          .set("slot", slot)
          .set("after", last == null ? FIRST : last.id)
          .set("afterSender", last == null ? "" : last.sender)
          .set("chunk", CHUNK)
          .rows(
              row ->
                  new Looked(
                      Objects.requireNonNull(row.getObject("id", UUID.class)),
                      Objects.requireNonNull(row.getString("sender")),
                      row.getInt("looked"),
                      row.getInt("marked")));
    }
  }

  private static void audit(Database.Tx tx, Actor by, String target, int marked)
      throws SQLException {
    AuditLog.write(tx, by, "inbox.replay", target, null, "AGAIN: %,d receipts".formatted(marked));
  }
}
