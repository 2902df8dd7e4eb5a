package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.operate.archive.ArchivedLetters;
import io.posthorn.postgresql.operate.archive.ArchivesInUse;
import io.posthorn.postgresql.operate.archive.LeafArchiver;
import io.posthorn.postgresql.parked.Orphans;
import io.posthorn.postgresql.schema.DatabaseIdentity;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Empties the leaves of the ring whose days are over and whose messages every destination has
 * passed.
 *
 * <p>The order of the steps makes this safe. First comes a SHARE lock, which waits until no open
 * transaction has written to the leaf, so nothing can appear in it after the check. The check is a
 * later statement, so that it sees what those transactions committed. Last comes the exclusive
 * lock. It gives up after 100 ms, because a waiting exclusive lock would block everyone behind it.
 *
 * <p>A leaf that cannot be emptied is tried again by the next purge. An archive gets the whole leaf
 * before the first lock; the check makes sure that it and all other archives in use have
 * everything.
 */
public final class Retention {
  /** How long ago a destination must have passed a leaf before the leaf is emptied. */
  public static final Duration SETTLED = Duration.ofHours(1);

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final Sql TODAY =
      Sql.of("read today", "SELECT posthorn_slot(clock_timestamp())::int");

  private enum Done {
    WAS_EMPTY,
    EMPTIED,
    NOT
  }

  private record Result(Done done, String why) {}

  private final Database database;
  private final RetentionTimes times;
  private final Archive archive;
  private final PurgeProgress purging;
  private final LeafArchiver archiver;

  public Retention(
      Database database, RetentionTimes times, Archive archive, PurgeProgress purging) {
    this.database = database;
    this.times = times;
    this.archive = archive;
    this.purging = purging;
    this.archiver = new LeafArchiver(database, archive, purging);
  }

  public static void check(RetentionTimes times) {
    if (times.sent().compareTo(Duration.ofDays(Ring.LEAVES - Ring.MARGIN)) > 0) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "nothing was started or purged: the retention is %s days, but the ring of the log has room for at most %d. Configure a shorter retention."
              .formatted(days(times.sent()), Ring.LEAVES - Ring.MARGIN));
    }
  }

  private static String days(Duration time) {
    return BigDecimal.valueOf(time.toMinutes())
        .divide(BigDecimal.valueOf(24 * 60), 2, RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }

  public PurgeReport purge() {
    check(times);
    ArchivesInUse.use(database, archive);
    List<String> emptied = new ArrayList<>();
    List<String> waiting = new ArrayList<>();
    try {
      emptyLeaves(emptied, waiting);
    } finally {
      // Orphans are woken even if archiving fails, for example because the archive is full.
      new Orphans(database).wake();
    }
    LetterExpiry letters = new LetterExpiry(database);
    long expired = letters.expire(times.dead(), archive, purging);
    waiting.addAll(new ArchivedLetters(database).waiting(archive));
    new AttemptExpiry(database).expire(longest(times.sent(), times.dead()), purging);
    new LateOutcomes(database).fold();
    // Ids are kept twice as long as the log, so that a repeated id finds the first message.
    new ObsoleteRows(database).forgetIds(times.sent().multipliedBy(2));
    new ObsoleteRows(database).forgetEdges();
    new ReceiptExpiry(database).forget(purging, emptied, waiting);
    return new PurgeReport(
        emptied, waiting, archiver.archived(), expired, letters.expiring(times.dead()));
  }

  private void emptyLeaves(List<String> emptied, List<String> waiting) {
    int today = today(database);
    // Starts with the oldest leaf. Yesterday, today and tomorrow are never emptied.
    for (int day = 2; day <= Ring.LEAVES - 2; day++) {
      for (Ring ring : Ring.ALL) {
        Ring.Leaf leaf = ring.leaf((today + day) % Ring.LEAVES);
        if (!purging.goOn("checking " + leaf.table())) {
          return;
        }
        Result result = empty(leaf, ring == Ring.LOG);
        switch (result.done) {
          case EMPTIED -> emptied.add(leaf.table());
          case NOT -> waiting.add(leaf.table() + ": " + result.why);
          case WAS_EMPTY -> {}
        }
      }
    }
  }

  private static Duration longest(Duration one, Duration other) {
    return one.compareTo(other) > 0 ? one : other;
  }

  static int today(Database database) {
    return database.transaction(
        "reading the day",
        tx -> {
          try (Query query = tx.query(TODAY)) {
            return Objects.requireNonNull(query.first(row -> row.getInt(1)));
          }
        });
  }

  /** Checks without a lock first, so that a leaf that must stay is not locked by every purge. */
  private Result empty(Ring.Leaf leaf, boolean archived) {
    Result looked = look(leaf, false);
    if (looked.done == Done.EMPTIED && archived) {
      if (archive != Archive.NONE) {
        archiver.archive(leaf);
      }
      looked = look(leaf, true);
    }
    if (looked.done != Done.EMPTIED) {
      return looked;
    }
    if (!purging.goOn("emptying " + leaf.table())) {
      return new Result(Done.NOT, "the purge was ended early");
    }
    try {
      return database.transaction("emptying " + leaf.table(), tx -> empty(tx, leaf, archived));
    } catch (PosthornException e) {
      if (lockNotAvailable(e)) {
        return new Result(Done.NOT, inUse(database, leaf.users()));
      }
      throw e;
    }
  }

  public static boolean lockNotAvailable(PosthornException e) {
    return e.getCause() instanceof SQLException cause
        && LOCK_NOT_AVAILABLE.equals(cause.getSQLState());
  }

  private Result look(Ring.Leaf leaf, boolean archived) {
    return database.transaction("checking " + leaf.table(), tx -> look(tx, leaf, archived));
  }

  /**
   * Returns EMPTIED if the leaf may be emptied.
   *
   * @param archived whether archives must have the leaf by now
   */
  private Result look(Database.Tx tx, Ring.Leaf leaf, boolean archived) throws SQLException {
    try (Query query = tx.query(leaf.look())) {
      if (!query.any()) {
        return new Result(Done.WAS_EMPTY, "");
      }
    }
    List<String> stays = reasonsToStay(tx, leaf, times.sent());
    if (archived && stays.isEmpty()) {
      stays = ArchivesInUse.reasonsToStay(tx, leaf, archive);
    }
    return stays.isEmpty()
        ? new Result(Done.EMPTIED, "")
        : new Result(Done.NOT, String.join("; ", stays));
  }

  private Result empty(Database.Tx tx, Ring.Leaf leaf, boolean archived) throws SQLException {
    DatabaseIdentity.exclude(tx);
    tx.execute("SET LOCAL lock_timeout = '100ms'");
    tx.execute("LOCK TABLE ONLY " + leaf.table() + " IN SHARE MODE");
    Result looked = look(tx, leaf, archived);
    if (looked.done != Done.EMPTIED) {
      return looked;
    }
    tx.execute("LOCK TABLE ONLY " + leaf.table() + " IN ACCESS EXCLUSIVE MODE");
    tx.execute("TRUNCATE TABLE ONLY " + leaf.table());
    return looked;
  }

  static List<String> reasonsToStay(Database.Tx tx, Ring.Leaf leaf, Duration retention)
      throws SQLException {
    try (Query query = tx.query(leaf.young())) {
      if (query.set("retention", retention).any()) {
        return List.of("its newest row has not reached the retention yet");
      }
    }
    try (Query query = tx.query(leaf.needed())) {
      return query
          .set("settled", SETTLED)
          .rows(
              row ->
                  leaf.whyNeeded()
                      .formatted(
                          row.getString("destination"),
                          row.getLong("behind"),
                          row.getString("since")));
    }
  }

  static String inUse(Database database, Sql users) {
    String user = user(database, users);
    return "an open transaction uses it"
        + (user == null ? "" : " (" + user + ")")
        + "; the next purge tries again";
  }

  /** Returns who has held a lock of the leaf for the longest time. */
  static @Nullable String user(Database database, Sql users) {
    return database
        .read(
            "finding the transaction that uses a leaf",
            users,
            query -> Optional.ofNullable(query.first(row -> row.getString(1))))
        .orElse(null);
  }
}
