package io.posthorn.postgresql.operate.restore;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.restore.Adopt;
import io.posthorn.core.operate.restore.Adoption;
import io.posthorn.core.operate.restore.Adoption.Share;
import io.posthorn.postgresql.lane.Lanes;
import io.posthorn.postgresql.lane.Progress;
import io.posthorn.postgresql.lane.Snapshot;
import io.posthorn.postgresql.operate.archive.ArchivesInUse;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.parked.GivenUp;
import io.posthorn.postgresql.route.HandOver;
import io.posthorn.postgresql.route.Registration;
import io.posthorn.postgresql.route.Unrouted;
import io.posthorn.postgresql.schema.DatabaseIdentity;
import io.posthorn.postgresql.schema.Preflight;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Makes a restored or copied database the one of an environment, in one transaction.
 *
 * <p>Its log holds rows with transaction ids of another server, which the ids of this one may be
 * far below or beyond. A cursor cannot live with both: sooner or later an id would mean two
 * transactions. So what is undelivered is told with the old progress, copied beside the log, and
 * the log is emptied; then new cursors begin. The log is locked first, so that no transaction with
 * a row in it is open: everything is either copied, or comes after the new cursors. Writers wait
 * meanwhile.
 */
public final class Adopter {
  private static final Sql LANES =
      Sql.of(
          "read lanes",
          """
          SELECT destination, lane
            FROM posthorn_lane
           ORDER BY destination <> 'unrouted', destination, lane
          """);

  private static final Sql BESIDE =
      Sql.of(
          "count beside the log",
          """
          SELECT (SELECT count(*) FROM posthorn_parked WHERE destination = :destination) AS parked,
                 (SELECT count(*) FROM posthorn_dead WHERE destination = :destination AND state = 'DEAD') AS dead
          """);

  // A scheduled message that has fallen due stands one above the sequence.
  private static final Sql SEQUENCE =
      Sql.of(
          "compare sequence",
          """
          SELECT CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END AS value,
                 coalesce(greatest((SELECT max(c.high)
                                      FROM posthorn_lane l
                                     CROSS JOIN LATERAL
                                           (SELECT p.high
                                              FROM posthorn_progress p
                                             WHERE p.destination = l.destination
                                               AND p.lane = l.lane
                                             ORDER BY p.n DESC
                                             LIMIT 1) c),
                                   (SELECT max(seq) FROM posthorn_log),
                                   (SELECT max(greatest(seq, position - 1)) FROM posthorn_parked)), 0) AS known
            FROM posthorn_seq s
          """);

  private static final Sql AHEAD =
      Sql.of(
          "compare transactions",
          """
          SELECT pg_current_xact_id()::text::bigint AS own,
                 max(pg_snapshot_xmax(coalesce(c.s2, c.s1))::text::bigint) AS known
            FROM posthorn_lane l
           CROSS JOIN LATERAL
                 (SELECT p.s1, p.s2
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                   ORDER BY p.n DESC
                   LIMIT 1) c
          """);

  // What is left in the log from now on is new, and every route that is known wants it.
  private static final Sql RESET_ROUTES =
      Sql.of(
          "reset routes",
          """
          UPDATE posthorn_route
             SET since = '1:1:',
                 since_seq = 0,
                 since_time = '-infinity'
          """);

  // The progress begins anew, perhaps with lower numbers: a copy may have come without sequences.
  private static final Sql CHANGED =
      Sql.of(
          "mark routes changed",
          """
          UPDATE posthorn_destination
             SET routes_id = gen_random_uuid(),
                 rewinding = NULL,
                 first_n = 0
           WHERE name = ANY (ARRAY (SELECT name FROM posthorn_destination ORDER BY name FOR NO KEY UPDATE))
          """);

  private static final Reason ADOPTED =
      Reason.of("ADOPTED", "it was parked in a database that was adopted as sent");

  private record LaneKey(String destination, int lane) {}

  private final Database database;

  public Adopter(Database database) {
    this.database = database;
  }

  public Adoption look() {
    return database.transaction("looking what is undelivered", tx -> look(tx, lanes(tx)));
  }

  public Adoption adopt(String environment, Adopt how, Actor by) {
    try {
      return database.transaction(
          "adopting the database as '" + environment + "'", tx -> adopt(tx, environment, how, by));
    } catch (PosthornException e) {
      throw SqlFailures.forTheOwner(e);
    }
  }

  private static Adoption adopt(Database.Tx tx, String environment, Adopt how, Actor by)
      throws SQLException {
    // Before this transaction has an id: whoever gets a later id draws higher numbers.
    long low = Registration.low(tx);
    DatabaseIdentity.exclude(tx);
    Lanes.lockAll(tx);
    List<LaneKey> lanes = lanes(tx);
    refuseWhileRelaysRun(tx);
    Preflight.refuseCachedSequence(tx, "the database was not adopted");
    checkSequence(tx);
    // They are told in numbers and transactions of the other server.
    tx.execute("DELETE FROM posthorn_edge; DELETE FROM posthorn_key_edge");
    Adoption found;
    if (how == Adopt.SAME_HISTORY) {
      checkTransactionsGoOn(tx);
      found = look(tx, lanes);
    } else {
      tx.execute("LOCK TABLE posthorn_log, posthorn_progress IN ACCESS EXCLUSIVE MODE");
      ArchivesInUse.refuseToEmptyTheLog(tx);
      found = look(tx, lanes);
      if (how == Adopt.SEND_UNDELIVERED) {
        park(tx, lanes);
      } else {
        giveUpParked(tx, lanes);
      }
      beginAnew(tx, lanes, low);
    }
    DatabaseIdentity.endLeases(tx);
    DatabaseIdentity.rename(tx, environment);
    AuditLog.write(
        tx,
        by,
        "restore.adopt",
        "environment " + environment,
        "environment %s, server %s".formatted(found.environment(), found.server()),
        "server %d, %s: %s"
            .formatted(
                found.actualServer(),
                how.name().toLowerCase(Locale.ROOT).replace('_', ' '),
                describe(found)));
    return found;
  }

  private static String describe(Adoption found) {
    List<String> shares = new ArrayList<>();
    for (Share share : found.destinations()) {
      shares.add(
          "%s %d and %d parked"
              .formatted(share.destination(), share.undelivered(), share.parked()));
    }
    return String.join(", ", shares);
  }

  private static List<LaneKey> lanes(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(LANES)) {
      return query.rows(row -> new LaneKey(row.getString(1), row.getInt(2)));
    }
  }

  private static Adoption look(Database.Tx tx, List<LaneKey> lanes) throws SQLException {
    List<Share> shares = new ArrayList<>();
    for (LaneKey lane : lanes) {
      Undelivered.Count count = Undelivered.of(tx, lane.destination, lane.lane).count();
      try (Query query = tx.query(BESIDE)) {
        shares.add(
            Objects.requireNonNull(
                query
                    .set("destination", lane.destination)
                    .first(
                        row ->
                            new Share(
                                lane.destination,
                                count.messages(),
                                count.oldest(),
                                count.newest(),
                                row.getLong("parked"),
                                row.getLong("dead")))));
      }
    }
    DatabaseIdentity names = DatabaseIdentity.read(tx);
    return new Adoption(
        names.environment(),
        names.server(),
        names.actualServer(),
        DatabaseIdentity.relays(tx),
        shares);
  }

  private static void refuseWhileRelaysRun(Database.Tx tx) throws SQLException {
    List<String> relays = DatabaseIdentity.relays(tx);
    if (!relays.isEmpty()) {
      throw new PosthornException(
          ErrorCode.RELAYS_RUNNING,
          "the database was not adopted: relays are running on it (%s), and what they are sending is not known yet. Stop them; after a copy, or if they were killed, their leases run out by themselves."
              .formatted(String.join(", ", relays)));
    }
  }

  private static void checkSequence(Database.Tx tx) throws SQLException {
    record Values(long value, long known) {}
    Values values;
    try (Query query = tx.query(SEQUENCE)) {
      values =
          Objects.requireNonNull(
              query.first(row -> new Values(row.getLong("value"), row.getLong("known"))));
    }
    if (values.value < values.known) {
      throw new PosthornException(
          ErrorCode.SEQUENCE_BEHIND,
          "the database was not adopted: its sequence is at %d, and %d is known to be in use, so messages written since the restore cannot be told from delivered ones. Stop all writers, run ALTER SEQUENCE %s RESTART WITH %d, and adopt again; what was written since the restore must be written again."
              .formatted(
                  values.value, values.known, tx.tables().in("posthorn_seq"), values.known + 1));
    }
  }

  private static void checkTransactionsGoOn(Database.Tx tx) throws SQLException {
    record Ids(long own, long known) {}
    Ids ids;
    try (Query query = tx.query(AHEAD)) {
      ids =
          Objects.requireNonNull(
              query.first(row -> new Ids(row.getLong("own"), row.getLong("known"))));
    }
    if (ids.own < ids.known) {
      throw new PosthornException(
          ErrorCode.CURSOR_AHEAD,
          "the database was not adopted: its progress knows transactions up to %d and this server is only at %d, so its transaction ids do not go on where they were. Adopt it with --as-sent if it is a copy, else with --send-undelivered, not with --same-history."
              .formatted(ids.known, ids.own));
    }
  }

  private static void park(Database.Tx tx, List<LaneKey> lanes) throws SQLException {
    for (LaneKey lane : lanes) {
      Undelivered.of(tx, lane.destination, lane.lane).park();
    }
    // Those without a route may stand before others that were just parked; so they are handed over
    // now, and not when the relays come.
    boolean all = false;
    while (!all) {
      all = HandOver.toAllWhoWant(tx, Unrouted.LANE);
    }
    HandOver.done(tx);
  }

  /** Nothing of before is sent: not what is parked either, nor what is scheduled. */
  private static void giveUpParked(Database.Tx tx, List<LaneKey> lanes) throws SQLException {
    for (String destination : new TreeSet<>(lanes.stream().map(LaneKey::destination).toList())) {
      GivenUp.writeAll(tx, destination, ADOPTED);
    }
  }

  private static void beginAnew(Database.Tx tx, List<LaneKey> lanes, long low) throws SQLException {
    tx.execute("TRUNCATE TABLE posthorn_log, posthorn_progress");
    // What was to be done in the original is not to be done here without being asked for.
    tx.execute(
        """
        UPDATE posthorn_operation
           SET state = 'STOPPED', note = 'stopped because the database was adopted', ended_at = clock_timestamp()
         WHERE state = 'RUNNING'
        """);
    // How far an archive has come is told in transactions of the other server.
    tx.execute("DELETE FROM posthorn_archived WHERE leaf <> ''");
    Snapshot now = Registration.now(tx);
    for (LaneKey lane : lanes) {
      Progress.closed(tx, lane.destination, lane.lane, UUID.randomUUID(), now, low);
    }
    try (Query query = tx.query(RESET_ROUTES, CHANGED)) {
      query.update();
    }
  }
}
