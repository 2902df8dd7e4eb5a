package io.posthorn.postgresql.operate.retention;

import static java.time.temporal.ChronoUnit.DAYS;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.postgresql.schema.ReceiptRing;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Removes receipts: empties the leaves whose days are over (see {@link ReceiptRing}), and deletes
 * old receipts that have no day.
 */
final class ReceiptExpiry {
  private static final int CHUNK = 5_000;

  private static final Sql TODAY =
      Sql.of("read the day", "SELECT floor(date_part('epoch', clock_timestamp()) / 86400)::int");

  private static final Sql FORGET_UNDATED =
      Sql.of(
          "forget undated receipts",
          """
          DELETE FROM posthorn_receipt
           WHERE slot = -1
             AND (consumer, id, sender) IN (
                   SELECT r.consumer, r.id, r.sender
                     FROM posthorn_receipt r
                    WHERE r.slot = -1
                      AND r.received_at < statement_timestamp() - make_interval(days => :days)
                    ORDER BY r.received_at
                    LIMIT :chunk)
          """);

  private static final Sql FORGET_SEQUENCES =
      Sql.of(
          "forget handled sequences",
          """
          DELETE FROM posthorn_handled
           WHERE (consumer, key, aggregate_type, sender) IN (
                   SELECT h.consumer, h.key, h.aggregate_type, h.sender
                     FROM posthorn_handled h
                    WHERE h.day < floor(date_part('epoch', statement_timestamp()) / 86400)::int - :days
                    LIMIT :chunk)
          """);

  // The numbers are those of the last vacuum.
  private static final Sql SIZES =
      Sql.of(
          "measure receipts",
          """
          SELECT CASE WHEN c.oid = to_regclass('posthorn_receipt_undated') THEN -1
                      ELSE right(c.relname, 2)::int
                 END AS slot,
                 pg_total_relation_size(c.oid) AS bytes,
                 greatest(c.reltuples, 0)::bigint AS rows
            FROM pg_inherits i
            JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = to_regclass('posthorn_receipt')
             AND pg_relation_size(c.oid) > 0
           ORDER BY 1
          """);

  private final Database database;

  ReceiptExpiry(Database database) {
    this.database = database;
  }

  int today() {
    return database.read(
        "reading the day",
        TODAY,
        query -> Objects.requireNonNull(query.first(row -> row.getInt(1))));
  }

  void forget(PurgeProgress purging, List<String> emptied, List<String> waiting) {
    for (int slot : ReceiptRing.over(today())) {
      String leaf = ReceiptRing.leaf(slot);
      if (!purging.goOn("checking " + leaf)) {
        return;
      }
      if (!holdsAnything(leaf)) {
        continue;
      }
      if (isOfTimesToCome(leaf)) {
        waiting.add(
            "%1$s: it has receipts with times in the future, so the server's clock is wrong or was set back. When the clock is right, run UPDATE %1$s SET received_at = now() WHERE received_at > now()"
                .formatted(database.tables().in(leaf)));
      } else if (empty(leaf)) {
        emptied.add(leaf);
      } else {
        waiting.add("%s: %s".formatted(leaf, Retention.inUse(database, Ring.users(leaf))));
      }
    }
    forget(FORGET_UNDATED, "forgetting receipts without a day", purging);
    forget(FORGET_SEQUENCES, "forgetting sequences of keys", purging);
  }

  private boolean holdsAnything(String leaf) {
    return database.read("checking whether " + leaf + " is empty", Ring.look(leaf), Query::any);
  }

  /**
   * Returns whether a leaf has receipts from the future. Then the day does not show which leaves
   * are over.
   */
  private boolean isOfTimesToCome(String leaf) {
    return database.read(
        "checking times in " + leaf,
        Sql.of(
            "look for times to come",
            "SELECT 1 FROM %s WHERE received_at > clock_timestamp() + interval '1 minute' LIMIT 1"
                .formatted(leaf)),
        Query::any);
  }

  /**
   * Empties a leaf, or gives up after 100 ms: a waiting lock would block all receivers behind it.
   */
  private boolean empty(String leaf) {
    try {
      return database.transaction(
          "emptying " + leaf,
          tx -> {
            tx.execute("SET LOCAL lock_timeout = '100ms'");
            tx.execute("TRUNCATE TABLE ONLY " + leaf);
            return true;
          });
    } catch (PosthornException e) {
      if (Retention.lockNotAvailable(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Returns the leaves that are not empty. */
  List<RetentionStatus.Leaf> leaves() {
    int today = today();
    List<Integer> over = ReceiptRing.over(today);
    return database.ask(
        "measuring receipts",
        SIZES,
        query ->
            query.rows(
                row -> {
                  int slot = row.getInt("slot");
                  Instant day =
                      slot == ReceiptRing.UNDATED
                          ? null
                          : Instant.EPOCH.plus(ReceiptRing.day(slot, today), DAYS);
                  return new RetentionStatus.Leaf(
                      ReceiptRing.leaf(slot),
                      day,
                      day,
                      row.getLong("bytes"),
                      row.getLong("rows"),
                      over.contains(slot)
                          ? List.of()
                          : List.of(
                              "receipts are kept for %d days".formatted(ReceiptRing.HORIZON)));
                }));
  }

  private void forget(Sql sql, String what, PurgeProgress purging) {
    int gone = CHUNK;
    while (gone == CHUNK && purging.goOn(what)) {
      gone = database.transaction(what, tx -> step(tx, sql));
    }
  }

  private static int step(Database.Tx tx, Sql sql) throws SQLException {
    try (Query query = tx.query(sql)) {
      return query
          .set("days", ReceiptRing.HORIZON + ReceiptRing.MARGIN)
          .set("chunk", CHUNK)
          .update();
    }
  }
}
