package io.posthorn.postgresql.parked;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the moves of a settle: messages are parked, removed, or become dead letters. Messages are
 * copied inside the database; their payloads do not travel. Every statement can be repeated without
 * harm, because a settle is repeated if its answer was lost.
 *
 * <p>The server makes plans once and keeps them, perhaps from when the tables were empty. So
 * statements name the rows they want by their key, in an array, and leave the planner no other way
 * to find them.
 */
public final class ParkedWriter {
  // Finds the rows first and joins them afterwards. A plan from when the log was empty would
  // otherwise search all rows once for each message.
  private static final Sql PARK =
      Sql.of(
          "park",
          """
          WITH l AS MATERIALIZED (
            SELECT id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key, occurred_at,
                   recorded_at, not_before, seq
              FROM posthorn_log
             WHERE seq = ANY (:seqs)
          )
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, waiting,
                  next_attempt_at, attempts, first_failed_at, last_failed_at, suspected_at, last_reason, last_error,
                  last_stack)
          SELECT :destination, l.id, l.type, l.schema_version,
                 posthorn_key_type(l.aggregate_type, l.key), l.key, l.payload, l.content_type,
                 l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq, m.waiting,
                 CASE m.waiting
                   WHEN 'TURN' THEN NULL
                   WHEN 'PAUSED' THEN NULL
                   WHEN 'TIME' THEN l.not_before
                   ELSE clock_timestamp() + make_interval(secs => m.delay)
                 END,
                 m.attempts,
                 CASE WHEN m.attempts > 0 THEN clock_timestamp() END,
                 CASE WHEN m.attempts > 0 THEN clock_timestamp() END,
                 CASE WHEN m.waiting = 'RETRY' AND m.attempts = 0 THEN clock_timestamp() END,
                 m.reason, m.error, m.stack
            FROM unnest(CAST(:seqs AS bigint[]), CAST(:waitings AS text[]), CAST(:delays AS float8[]),
                        CAST(:attempts AS int[]), CAST(:reasons AS text[]), CAST(:errors AS text[]),
                        CAST(:stacks AS text[]))
                   AS m (seq, waiting, delay, attempts, reason, error, stack)
            JOIN l ON l.seq = m.seq
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  // Matches seq as well, like every statement that applies an answer to a parked message: the
  // parked message with this id may be another message.
  // The operation counts which of its messages failed for the first time: they hold it up no
  // longer.
  private static final Sql PARK_AGAIN =
      Sql.of(
          "park again",
          """
          WITH move AS (
            SELECT m.id, m.waiting, m.delay, m.attempts, m.reason, m.error, m.stack
              FROM unnest(CAST(:ids AS uuid[]), CAST(:waitings AS text[]), CAST(:delays AS float8[]),
                          CAST(:attempts AS int[]), CAST(:reasons AS text[]), CAST(:errors AS text[]),
                          CAST(:stacks AS text[]))
                     AS m (id, waiting, delay, attempts, reason, error, stack)
          ), failed_first AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT p.operation, 0, 0, count(*)
              FROM posthorn_parked p
              JOIN move m ON m.id = p.message_id
             WHERE p.destination = :destination
               AND p.message_id = ANY (:ids)
               AND p.seq = ANY (:seqs)
               AND p.operation IS NOT NULL
               AND p.first_failed_at IS NULL
               AND m.attempts > p.attempts
             GROUP BY p.operation
          )
          UPDATE posthorn_parked p
             SET waiting = m.waiting,
                 next_attempt_at = CASE WHEN m.waiting IN ('TURN', 'PAUSED') THEN NULL
                                        ELSE clock_timestamp() + make_interval(secs => m.delay) END,
                 attempts = m.attempts,
                 first_failed_at = CASE WHEN m.attempts > p.attempts THEN coalesce(p.first_failed_at, clock_timestamp())
                                        ELSE p.first_failed_at END,
                 last_failed_at = CASE WHEN m.attempts > p.attempts THEN clock_timestamp() ELSE p.last_failed_at END,
                 suspected_at = CASE WHEN m.attempts > p.attempts THEN NULL
                                     WHEN m.waiting = 'RETRY' THEN coalesce(p.suspected_at, clock_timestamp())
                                     ELSE p.suspected_at END,
                 last_reason = coalesce(m.reason, p.last_reason),
                 last_error = coalesce(m.error, p.last_error),
                 last_stack = coalesce(m.stack, p.last_stack)
            FROM move m
           WHERE p.destination = :destination
             AND p.message_id = ANY (:ids)
             AND p.seq = ANY (:seqs)
             AND p.message_id = m.id
          """);

  // Writes the outcome to the dead letter that the message was requeued from, and to the operation
  // that sent it.
  private static final Sql REMOVE =
      Sql.of(
          "remove parked",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = ANY (:ids)
               AND seq = ANY (:seqs)
            RETURNING message_id, dead_letter, once, operation, first_failed_at
          ), counted AS (
            INSERT INTO posthorn_operation_outcome (operation, sent, died, retrying)
            SELECT operation, count(*), 0, -count(first_failed_at)
              FROM gone
             WHERE operation IS NOT NULL
             GROUP BY operation
          )
          UPDATE posthorn_dead
             SET outcome = CASE WHEN id = ANY (ARRAY (SELECT dead_letter FROM gone WHERE message_id = ANY (:stale)))
                                THEN 'SKIPPED_STALE'
                                ELSE 'SENT'
                           END,
                 outcome_at = clock_timestamp(),
                 state = CASE WHEN id = ANY (ARRAY (SELECT dead_letter
                                                      FROM gone
                                                     WHERE once
                                                       AND message_id <> ALL (:stale)))
                              THEN 'SENT'
                              ELSE state
                         END
           WHERE id = ANY (ARRAY (SELECT dead_letter FROM gone WHERE dead_letter IS NOT NULL))
          """);

  // Setting the time makes the next message quick to find; the claim still computes whether it may
  // go. Held keys and keys with a paused head are not woken: they would be found due and could not
  // go.
  public static final Sql WAKE =
      Sql.of(
          "wake heads",
          """
          UPDATE posthorn_parked
             SET next_attempt_at = clock_timestamp()
           WHERE destination = :destination
             AND next_attempt_at IS NULL
             AND waiting <> 'PAUSED'
             AND message_id = ANY (ARRAY (
                   SELECT head.message_id
                     FROM unnest(CAST(:aggregateTypes AS text[]), CAST(:keys AS text[])) AS k (aggregate_type, key)
                    CROSS JOIN LATERAL
                          (SELECT p.message_id
                             FROM posthorn_parked p
                            WHERE p.destination = :destination
                              AND p.aggregate_type = k.aggregate_type
                              AND p.key = k.key
                              AND p.position >= coalesce((SELECT e.position
                                                            FROM posthorn_key_edge e
                                                           WHERE e.destination = :destination
                                                             AND e.aggregate_type = k.aggregate_type
                                                             AND e.key = k.key
                                                           ORDER BY e.n DESC
                                                           LIMIT 1), 0)
                              AND p.waiting <> 'TIME'
                            ORDER BY p.position, p.seq
                            LIMIT 1) head
                    WHERE (SELECT true
                             FROM posthorn_held h
                            WHERE h.destination = :destination
                              AND h.aggregate_type = k.aggregate_type
                              AND h.key = k.key
                            LIMIT 1) IS NULL))
          """);

  private final Database.Tx tx;
  private final String destination;

  private ParkedWriter(Database.Tx tx, String destination) {
    this.tx = tx;
    this.destination = destination;
  }

  public static void write(Database.Tx tx, Lane lane, List<Move> moves) throws SQLException {
    if (!moves.isEmpty()) {
      new ParkedWriter(tx, lane.destination()).write(moves);
    }
  }

  private void write(List<Move> moves) throws SQLException {
    List<Move.Park> fromLog = new ArrayList<>();
    List<Move.Park> again = new ArrayList<>();
    List<Move.Die> dieFromLog = new ArrayList<>();
    List<Move.Die> dieFromParked = new ArrayList<>();
    List<Delivery> sent = new ArrayList<>();
    List<Move.Bury> bury = new ArrayList<>();
    List<Delivery> forget = new ArrayList<>();
    List<UUID> stale = new ArrayList<>();
    Set<Key> wake = new LinkedHashSet<>();
    AttemptWriter attempts = new AttemptWriter(tx, destination);
    for (Move move : moves) {
      Delivery delivery = move.delivery();
      Key key = delivery.message().key();
      if (move instanceof Move.Park park) {
        (delivery.parked() ? again : fromLog).add(park);
        if (park.reason() != null && park.attempts() > delivery.attempts()) {
          attempts.add(delivery, park.attempts(), "FAILED", park.reason());
        }
        if (key != null && park.waiting() == Waiting.TURN) {
          wake.add(key);
        }
      } else if (move instanceof Move.Die die) {
        (delivery.parked() ? dieFromParked : dieFromLog).add(die);
        String outcome = die.code().equals(Reason.RETRY_EXHAUSTED) ? "FAILED" : "REJECTED";
        if (die.attempts() > delivery.attempts()) {
          attempts.add(delivery, die.attempts(), outcome, die.reason());
        }
        if (key != null) {
          wake.add(key);
        }
      } else if (move instanceof Move.Bury burial) {
        bury.add(burial);
        if (key != null) {
          wake.add(key);
        }
      } else if (move instanceof Move.Forget) {
        forget.add(delivery);
        if (key != null) {
          wake.add(key);
        }
      } else if (move instanceof Move.Sent done) {
        sent.add(delivery);
        if (done.stale()) {
          stale.add(delivery.message().id());
        }
        String outcome = done.stale() ? "SKIPPED_STALE" : "SENT";
        attempts.add(delivery, delivery.attempts() + 1, outcome, null);
        if (key != null) {
          wake.add(key);
        }
      }
    }
    park(fromLog);
    parkAgain(again);
    DeadWriter dead = new DeadWriter(tx, destination);
    dead.fromLog(dieFromLog);
    dead.fromParked(dieFromParked);
    LastResort lastResort = new LastResort(tx, destination);
    lastResort.bury(bury);
    lastResort.forget(forget);
    remove(sent, stale);
    attempts.write();
    wake(tx, destination, wake);
  }

  private void park(List<Move.Park> parks) throws SQLException {
    if (parks.isEmpty()) {
      return;
    }
    List<Long> seqs = parks.stream().map(p -> p.delivery().seq()).toList();
    int parked;
    try (Query query = tx.query(PARK)) {
      parked = set(query.setLongs("seqs", seqs), parks).update();
    }
    if (parked < seqs.size()) {
      ReusedIds.bury(tx, destination, seqs);
    }
  }

  private void parkAgain(List<Move.Park> parks) throws SQLException {
    if (parks.isEmpty()) {
      return;
    }
    try (Query query = tx.query(PARK_AGAIN)) {
      query
          .setUuids("ids", parks.stream().map(p -> p.delivery().message().id()).toList())
          .setLongs("seqs", parks.stream().map(p -> p.delivery().seq()).toList());
      set(query, parks).update();
    }
  }

  private Query set(Query query, List<Move.Park> parks) throws SQLException {
    return query
        .set("destination", destination)
        .setTexts("waitings", parks.stream().map(p -> p.waiting().name()).toList())
        .setArray("delays", "float8", parks.stream().map(p -> p.delay().toNanos() / 1e9).toArray())
        .setArray("attempts", "int4", parks.stream().map(Move.Park::attempts).toArray())
        .setTexts("reasons", texts(parks, Reason::code))
        .setTexts("errors", texts(parks, Reason::text))
        .setTexts("stacks", texts(parks, Reason::stack));
  }

  private static List<@Nullable String> texts(List<Move.Park> parks, Text text) {
    List<@Nullable String> texts = new ArrayList<>();
    for (Move.Park park : parks) {
      texts.add(park.reason() == null ? null : text.of(park.reason()));
    }
    return texts;
  }

  private void remove(List<Delivery> sent, List<UUID> stale) throws SQLException {
    if (sent.isEmpty()) {
      return;
    }
    try (Query query = tx.query(REMOVE)) {
      query
          .set("destination", destination)
          .setUuids("ids", sent.stream().map(delivery -> delivery.message().id()).toList())
          .setLongs("seqs", sent.stream().map(Delivery::seq).toList())
          .setUuids("stale", stale)
          .update();
    }
  }

  /** Gives the first parked message of each of these keys its turn. */
  public static void wake(Database.Tx tx, String destination, Set<Key> keys) throws SQLException {
    if (keys.isEmpty()) {
      return;
    }
    try (Query query = tx.query(WAKE)) {
      query.setKeys(keys).set("destination", destination).update();
    }
  }

  private interface Text {
    @Nullable String of(Reason reason);
  }
}
