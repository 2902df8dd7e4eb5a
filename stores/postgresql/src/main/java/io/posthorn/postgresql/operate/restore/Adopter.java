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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Makes a restored or copied database belong to an environment, in one transaction.
 *
 * <p>The rows of its log have transaction ids of another server, which may be far below or above
 * the ids of this one. No cursor can handle both, because sooner or later one id would mean two
 * transactions. So the old progress decides what is undelivered, those messages are copied out of
 * the log, the log is emptied, and new cursors start.
 *
 * <p>The log is locked first, so that no open transaction has a row in it: every message is either
 * copied, or comes after the new cursors. Writers wait meanwhile.
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

  // A scheduled message that is due has a number one above the sequence.
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

  // The log is empty: everything in it from now on is new, and all known routes apply to it.
  private static final Sql RESET_ROUTES =
      Sql.of(
          "reset routes",
          """
          UPDATE posthorn_route
             SET since = '1:1:',
                 since_seq = 0,
                 since_time = '-infinity'
          """);

  // The progress starts again, perhaps with lower numbers, because a copy may have come without its
  // sequences.
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
    return database.transaction("counting undelivered messages", tx -> look(tx, lanes(tx)));
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
    // This is read before this transaction has an id, so that transactions with later ids draw
    // higher numbers.
    long low = Registration.low(tx);
    DatabaseIdentity.exclude(tx);
    Lanes.lockAll(tx);
    List<LaneKey> lanes = lanes(tx);
    refuseWhileRelaysRun(tx);
    Preflight.refuseCachedSequence(tx, "the database was not adopted");
    checkSequence(tx);
    // Edges refer to numbers and transactions of the other server.
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
    Map<String, Undelivered.Count> counts = new LinkedHashMap<>();
    for (LaneKey lane : lanes) {
      Undelivered.Count count = Undelivered.of(tx, lane.destination, lane.lane).count();
      counts.merge(lane.destination, count, Undelivered.Count::plus);
    }
    for (Map.Entry<String, Undelivered.Count> entry : counts.entrySet()) {
      String destination = entry.getKey();
      Undelivered.Count count = entry.getValue();
      try (Query query = tx.query(BESIDE)) {
        shares.add(
            Objects.requireNonNull(
                query
                    .set("destination", destination)
                    .first(
                        row ->
                            new Share(
                                destination,
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
          "the database was not adopted: relays are running on it (%s), and the outcome of what they are sending is not known yet. Stop them and adopt again. If this is a copy, or if they were killed, wait until their leases expire."
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
          "the database was not adopted: its sequence is at %d, but number %d is already in use, so messages added since the restore cannot be distinguished from delivered ones. Stop all writers, run ALTER SEQUENCE %s RESTART WITH %d, and adopt again. Then add the messages again that were added since the restore."
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
          "the database was not adopted with --same-history: its progress knows transactions up to %d, but this server is only at %d, so its transaction ids do not continue the old ones. Use --as-sent if the database is a copy whose original still sends, otherwise --send-undelivered."
              .formatted(ids.known, ids.own));
    }
  }

  private static void park(Database.Tx tx, List<LaneKey> lanes) throws SQLException {
    for (LaneKey lane : lanes) {
      Undelivered.of(tx, lane.destination, lane.lane).park();
    }
    // Messages without a route may precede others of their key that were just parked, so they are
    // handed over now, and not when relays start.
    boolean all = false;
    while (!all) {
      all = HandOver.toAllWhoWant(tx, Unrouted.LANE);
    }
    HandOver.done(tx);
  }

  /**
   * Turns all parked messages, including scheduled ones, into dead letters, so that nothing from
   * before is sent.
   */
  private static void giveUpParked(Database.Tx tx, List<LaneKey> lanes) throws SQLException {
    for (String destination : new TreeSet<>(lanes.stream().map(LaneKey::destination).toList())) {
      GivenUp.writeAll(tx, destination, ADOPTED);
    }
  }

  private static void beginAnew(Database.Tx tx, List<LaneKey> lanes, long low) throws SQLException {
    tx.execute("TRUNCATE TABLE posthorn_log, posthorn_progress");
    // Operations of the original must not continue here unless a person starts them.
    tx.execute(
        """
        UPDATE posthorn_operation
           SET state = 'STOPPED', note = 'stopped because the database was adopted', ended_at = clock_timestamp()
         WHERE state = 'RUNNING'
        """);
    // The progress of archives refers to transactions of the other server.
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
