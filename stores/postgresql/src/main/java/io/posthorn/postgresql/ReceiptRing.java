package io.posthorn.postgresql;

import static java.time.temporal.ChronoUnit.DAYS;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.core.operate.retention.RetentionStatus;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * Forgets what was received. The days of the ring are those inside the ids, so which leaves are
 * over is known without looking into them, and nobody writes there any more: an id of such a day is
 * out of the horizon. What has no day is deleted when it is as old.
 */
final class ReceiptRing {
  /** As many as the migration made. */
  static final int LEAVES = 40;

  /** The slot of ids without a time. */
  static final int UNDATED = -1;

  /** All slots there are. */
  static final int[] SLOTS = IntStream.range(UNDATED, LEAVES).toArray();

  /** So many days back an id is known; {@code posthorn_receive} says the same. */
  static final int HORIZON = 30;

  /** So many days ahead an id may be; says the same, too. */
  private static final int AHEAD = 2;

  /** A day more on either side, for transactions that are under way at midnight. */
  private static final int MARGIN = 1;

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

  // As the last vacuum counted them.
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

  ReceiptRing(Database database) {
    this.database = database;
  }

  static String leaf(int slot) {
    return slot == UNDATED ? "posthorn_receipt_undated" : Ring.leaf("posthorn_receipt", slot);
  }

  /** The slots whose days are over, the longest first. */
  static List<Integer> over(int today) {
    List<Integer> over = new ArrayList<>();
    for (int day = today - LEAVES + AHEAD + MARGIN + 1; day < today - HORIZON - MARGIN; day++) {
      over.add(Math.floorMod(day, LEAVES));
    }
    return over;
  }

  int today() {
    return database.read(
        "reading the day",
        TODAY,
        query -> Objects.requireNonNull(query.first(row -> row.getInt(1))));
  }

  void forget(PurgeProgress purging, List<String> emptied, List<String> waiting) {
    for (int slot : over(today())) {
      String leaf = leaf(slot);
      if (!purging.goOn("looking at " + leaf)) {
        return;
      }
      if (!holdsAnything(leaf)) {
        continue;
      }
      if (isOfTimesToCome(leaf)) {
        waiting.add(
            "%1$s: it holds receipts of times to come, so the server's clock was set back or is wrong. Once it is right: UPDATE %1$s SET received_at = now() WHERE received_at > now()"
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
    return database.read("looking into " + leaf, Ring.look(leaf), Query::any);
  }

  /** Then the day tells nothing of which leaf is over. */
  private boolean isOfTimesToCome(String leaf) {
    return database.read(
        "looking for times to come in " + leaf,
        Sql.of(
            "look for times to come",
            "SELECT 1 FROM %s WHERE received_at > clock_timestamp() + interval '1 minute' LIMIT 1"
                .formatted(leaf)),
        Query::any);
  }

  /** Never waits longer than a moment: whoever receives would wait behind it. */
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

  /** Those that hold something. */
  List<RetentionStatus.Leaf> leaves() {
    int today = today();
    List<Integer> over = over(today);
    return database.ask(
        "measuring receipts",
        SIZES,
        query ->
            query.rows(
                row -> {
                  int slot = row.getInt("slot");
                  Instant day = slot == UNDATED ? null : Instant.EPOCH.plus(day(slot, today), DAYS);
                  return new RetentionStatus.Leaf(
                      leaf(slot),
                      day,
                      day,
                      row.getLong("bytes"),
                      row.getLong("rows"),
                      over.contains(slot)
                          ? List.of()
                          : List.of("receipts are kept for %d days".formatted(HORIZON)));
                }));
  }

  /** The last day of this slot that may have begun. */
  private static int day(int slot, int today) {
    int latest = today + AHEAD + MARGIN;
    return latest - Math.floorMod(latest - slot, LEAVES);
  }

  private void forget(Sql sql, String what, PurgeProgress purging) {
    int gone = CHUNK;
    while (gone == CHUNK && purging.goOn(what)) {
      gone = database.transaction(what, tx -> step(tx, sql));
    }
  }

  private static int step(Database.Tx tx, Sql sql) throws SQLException {
    try (Query query = tx.query(sql)) {
      return query.set("days", HORIZON + MARGIN).set("chunk", CHUNK).update();
    }
  }
}
