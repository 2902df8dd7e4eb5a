package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.PurgeReport;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Empties the leaves of the ring whose days are over and whose messages every destination has
 * passed.
 *
 * <p>The order of the steps is what makes it safe. A SHARE lock first: it waits until no
 * transaction that has written into the leaf is open, so nothing can appear in it after the check.
 * The check comes in a later statement, so that it sees what those transactions committed. Only
 * then the exclusive lock, for which it never waits longer than a moment: a waiting one would stop
 * everybody behind it. A leaf that cannot be emptied gets another day.
 */
final class Retention {
  /** A destination must have passed a leaf for so long before it goes. */
  private static final Duration SETTLED = Duration.ofHours(1);

  private static final int CHUNK = 10_000;
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private static final Sql EXCLUDE =
      Sql.of("exclude others", "SELECT 1 FROM posthorn_meta FOR UPDATE");

  private static final Sql TODAY =
      Sql.of("read today", "SELECT posthorn_slot(clock_timestamp())::int");

  private static final Sql FORGET_GIVEN =
      Sql.of(
          "forget given ids",
          """
          DELETE FROM posthorn_given_id
           WHERE id = ANY (ARRAY (
                   SELECT id
                     FROM posthorn_given_id
                    WHERE recorded_at < statement_timestamp() - make_interval(secs => :retention)
                    ORDER BY recorded_at
                    LIMIT :chunk))
          """);

  private static final Sql FORGET_NOTED =
      Sql.of(
          "forget noted ids",
          """
          DELETE FROM posthorn_noted_id
           WHERE id = ANY (ARRAY (
                   SELECT id
                     FROM posthorn_noted_id
                    WHERE recorded_at < statement_timestamp() - make_interval(secs => :retention)
                    ORDER BY recorded_at
                    LIMIT :chunk))
          """);

  // A message that waits for its turn while none stands before it would wait for ever. Nobody
  // should
  // leave one behind; now and then it is made sure.
  private static final Sql WAKE_ORPHANS =
      Sql.of(
          "wake orphans",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = clock_timestamp()
           WHERE p.waiting <> 'TIME'
             AND p.next_attempt_at IS NULL
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked o
                              WHERE o.destination = p.destination
                                AND o.aggregate_type = p.aggregate_type
                                AND o.key = p.key
                                AND o.waiting <> 'TIME'
                                AND (o.position, o.seq) < (p.position, p.seq))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = p.destination
                                AND h.aggregate_type = p.aggregate_type
                                AND h.key = p.key)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_pause s
                              WHERE s.destination IN (p.destination, '*')
                                AND s.type = p.type
                                AND p.waiting = 'PAUSED')
          """);

  private enum Done {
    WAS_EMPTY,
    EMPTIED,
    NOT
  }

  private record Result(Done done, String why) {}

  private final Database database;

  Retention(Database database) {
    this.database = database;
  }

  PurgeReport purge(Duration retention) {
    if (retention.compareTo(Duration.ofDays(Ring.LEAVES - Ring.MARGIN)) > 0) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "nothing was purged: a retention of %d days does not fit into the ring of %d leaves. Choose at most %d days."
              .formatted(retention.toDays(), Ring.LEAVES, Ring.LEAVES - Ring.MARGIN));
    }
    wakeOrphans();
    List<String> emptied = new ArrayList<>();
    List<String> waiting = new ArrayList<>();
    int today = today();
    // From the oldest on; yesterday, today and tomorrow are left alone.
    for (int day = 2; day <= Ring.LEAVES - 2; day++) {
      for (Ring ring : Ring.ALL) {
        Ring.Leaf leaf = ring.leaf((today + day) % Ring.LEAVES);
        Result result = empty(leaf, retention);
        switch (result.done) {
          case EMPTIED -> emptied.add(leaf.table());
          case NOT -> waiting.add(leaf.table() + ": " + result.why);
          case WAS_EMPTY -> {}
        }
      }
    }
    // Twice as long as the log, so that a repeat finds its first time.
    forget(FORGET_GIVEN, retention.multipliedBy(2));
    forget(FORGET_NOTED, retention.multipliedBy(2));
    return new PurgeReport(emptied, waiting);
  }

  private void wakeOrphans() {
    database.transaction(
        "waking messages that wait for nobody",
        tx -> {
          try (Query query = tx.query(WAKE_ORPHANS)) {
            return query.update();
          }
        });
  }

  private int today() {
    return database.transaction(
        "reading the day",
        tx -> {
          try (Query query = tx.query(TODAY)) {
            return Objects.requireNonNull(query.first(row -> row.getInt(1)));
          }
        });
  }

  private Result empty(Ring.Leaf leaf, Duration retention) {
    try {
      return database.transaction("emptying " + leaf.table(), tx -> empty(tx, leaf, retention));
    } catch (PosthornException e) {
      if (e.getCause() instanceof SQLException cause
          && LOCK_NOT_AVAILABLE.equals(cause.getSQLState())) {
        return new Result(Done.NOT, user(leaf));
      }
      throw e;
    }
  }

  private static Result empty(Database.Tx tx, Ring.Leaf leaf, Duration retention)
      throws SQLException {
    try (Query query = tx.query(EXCLUDE)) {
      query.any();
    }
    try (Query query = tx.query(leaf.look())) {
      if (!query.any()) {
        return new Result(Done.WAS_EMPTY, "");
      }
    }
    // Without a lock first, so that a leaf that must stay is not locked again and again.
    String stays = reasonToStay(tx, leaf, retention);
    if (stays == null) {
      tx.execute("SET LOCAL lock_timeout = '100ms'");
      tx.execute("LOCK TABLE ONLY " + leaf.table() + " IN SHARE MODE");
      stays = reasonToStay(tx, leaf, retention);
    }
    if (stays != null) {
      return new Result(Done.NOT, stays);
    }
    tx.execute("LOCK TABLE ONLY " + leaf.table() + " IN ACCESS EXCLUSIVE MODE");
    tx.execute("TRUNCATE TABLE ONLY " + leaf.table());
    return new Result(Done.EMPTIED, "");
  }

  private static @Nullable String reasonToStay(Database.Tx tx, Ring.Leaf leaf, Duration retention)
      throws SQLException {
    try (Query query = tx.query(leaf.young())) {
      if (query.set("retention", retention).any()) {
        return "its newest row is younger than the retention";
      }
    }
    try (Query query = tx.query(leaf.needed())) {
      String destination = query.set("settled", SETTLED).first(row -> row.getString(1));
      return destination == null ? null : leaf.whyNeeded().formatted(destination);
    }
  }

  private String user(Ring.Leaf leaf) {
    return database.read(
        "looking who uses " + leaf.table(),
        leaf.users(),
        query -> {
          String user = query.first(row -> row.getString(1));
          return "an open transaction uses it"
              + (user == null ? "" : " (" + user + ")")
              + "; it gets another day";
        });
  }

  private void forget(Sql sql, Duration retention) {
    int gone = CHUNK;
    while (gone == CHUNK) {
      gone =
          database.transaction(
              "forgetting ids",
              tx -> {
                try (Query query = tx.query(sql)) {
                  return query.set("retention", retention).set("chunk", CHUNK).update();
                }
              });
    }
  }
}
