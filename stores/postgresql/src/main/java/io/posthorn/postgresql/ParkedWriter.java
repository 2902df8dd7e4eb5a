package io.posthorn.postgresql;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes the moves of a settle: into the parked messages, out of them, and on to the dead letters.
 * Messages are copied inside the database; their payloads do not travel. Every statement may be
 * repeated without harm, because a settle whose answer was lost is.
 */
final class ParkedWriter {
  private static final Sql PARK =
      Sql.of(
          "park",
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket, waiting,
                  next_attempt_at, attempts, first_failed_at, last_failed_at, last_reason, last_error, last_stack)
          SELECT :destination, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload, l.content_type,
                 l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq, l.bucket, m.waiting,
                 CASE m.waiting
                   WHEN 'TURN' THEN NULL
                   WHEN 'TIME' THEN l.not_before
                   ELSE clock_timestamp() + make_interval(secs => m.delay)
                 END,
                 m.attempts,
                 CASE WHEN m.attempts > 0 THEN clock_timestamp() END,
                 CASE WHEN m.attempts > 0 THEN clock_timestamp() END,
                 m.reason, m.error, m.stack
            FROM unnest(CAST(:seqs AS bigint[]), CAST(:waitings AS text[]), CAST(:delays AS float8[]),
                        CAST(:attempts AS int[]), CAST(:reasons AS text[]), CAST(:errors AS text[]),
                        CAST(:stacks AS text[]))
                   AS m (seq, waiting, delay, attempts, reason, error, stack)
            JOIN posthorn_log l ON l.seq = m.seq
              ON CONFLICT (destination, message_id) DO NOTHING
          """);

  private static final Sql PARK_AGAIN =
      Sql.of(
          "park again",
          """
          UPDATE posthorn_parked p
             SET waiting = m.waiting,
                 next_attempt_at = CASE WHEN m.waiting = 'TURN' THEN NULL
                                        ELSE clock_timestamp() + make_interval(secs => m.delay) END,
                 attempts = m.attempts,
                 first_failed_at = CASE WHEN m.attempts > p.attempts THEN coalesce(p.first_failed_at, clock_timestamp())
                                        ELSE p.first_failed_at END,
                 last_failed_at = CASE WHEN m.attempts > p.attempts THEN clock_timestamp() ELSE p.last_failed_at END,
                 last_reason = coalesce(m.reason, p.last_reason),
                 last_error = coalesce(m.error, p.last_error),
                 last_stack = coalesce(m.stack, p.last_stack)
            FROM unnest(CAST(:ids AS uuid[]), CAST(:waitings AS text[]), CAST(:delays AS float8[]),
                        CAST(:attempts AS int[]), CAST(:reasons AS text[]), CAST(:errors AS text[]),
                        CAST(:stacks AS text[]))
                   AS m (id, waiting, delay, attempts, reason, error, stack)
           WHERE p.destination = :destination
             AND p.message_id = m.id
          """);

  private static final Sql REMOVE =
      Sql.of(
          "remove parked",
          """
          DELETE FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = ANY (:ids)
          """);

  private static final Sql DIE_FROM_LOG =
      Sql.of(
          "bury from log",
          """
          INSERT INTO posthorn_dead
                 (id, destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, bucket,
                  reason, last_reason, error, stack, attempts, first_failed_at, last_failed_at)
          SELECT m.dead_id, :destination, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload,
                 l.content_type, l.headers, l.cipher_key, l.occurred_at, l.recorded_at, l.not_before, l.seq, l.seq,
                 l.bucket, m.code, m.reason, m.error, m.stack, m.attempts, clock_timestamp(), clock_timestamp()
            FROM unnest(CAST(:deadIds AS uuid[]), CAST(:seqs AS bigint[]), CAST(:codes AS text[]),
                        CAST(:reasons AS text[]), CAST(:errors AS text[]), CAST(:stacks AS text[]),
                        CAST(:attempts AS int[]))
                   AS m (dead_id, seq, code, reason, error, stack, attempts)
            JOIN posthorn_log l ON l.seq = m.seq
          """);

  private static final Sql DIE_FROM_PARKED =
      Sql.of(
          "bury from parked",
          """
          WITH gone AS (
            DELETE FROM posthorn_parked
             WHERE destination = :destination
               AND message_id = ANY (CAST(:ids AS uuid[]))
            RETURNING destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                      headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, direction, consumer,
                      bucket, first_failed_at
          )
          INSERT INTO posthorn_dead
                 (id, destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, cipher_key, occurred_at, recorded_at, not_before, seq, position, direction, consumer,
                  bucket, reason, last_reason, error, stack, attempts, first_failed_at, last_failed_at)
          SELECT m.dead_id, g.destination, g.message_id, g.type, g.schema_version, g.aggregate_type, g.key, g.payload,
                 g.content_type, g.headers, g.cipher_key, g.occurred_at, g.recorded_at, g.not_before, g.seq, g.position,
                 g.direction, g.consumer, g.bucket, m.code, m.reason, m.error, m.stack, m.attempts,
                 coalesce(g.first_failed_at, clock_timestamp()), clock_timestamp()
            FROM unnest(CAST(:deadIds AS uuid[]), CAST(:ids AS uuid[]), CAST(:codes AS text[]),
                        CAST(:reasons AS text[]), CAST(:errors AS text[]), CAST(:stacks AS text[]),
                        CAST(:attempts AS int[]))
                   AS m (dead_id, id, code, reason, error, stack, attempts)
            JOIN gone g ON g.message_id = m.id
          """);

  private static final Sql HOLD =
      Sql.of(
          "hold keys",
          """
          INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id)
          SELECT :destination, k.aggregate_type, k.key, k.dead_id
            FROM unnest(CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:deadIds AS uuid[]))
                   AS k (aggregate_type, key, dead_id)
              ON CONFLICT DO NOTHING
          """);

  private static final Sql ATTEMPTS =
      Sql.of(
          "write attempts",
          """
          INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome, reason, error)
          SELECT :destination, m.id, m.attempt, m.outcome, m.reason, m.error
            FROM unnest(CAST(:ids AS uuid[]), CAST(:attempts AS int[]), CAST(:outcomes AS text[]),
                        CAST(:reasons AS text[]), CAST(:errors AS text[]))
                   AS m (id, attempt, outcome, reason, error)
              ON CONFLICT DO NOTHING
          """);

  // Finding the next one quickly needs a time on it; that it may go is still computed at the claim.
  private static final Sql WAKE =
      Sql.of(
          "wake heads",
          """
          UPDATE posthorn_parked p
             SET next_attempt_at = clock_timestamp()
            FROM unnest(CAST(:aggregateTypes AS text[]), CAST(:keys AS text[])) AS k (aggregate_type, key)
           CROSS JOIN LATERAL
                 (SELECT h.message_id
                    FROM posthorn_parked h
                   WHERE h.destination = :destination
                     AND h.aggregate_type = k.aggregate_type
                     AND h.key = k.key
                     AND h.waiting <> 'TIME'
                   ORDER BY h.position, h.seq
                   LIMIT 1) head
           WHERE p.destination = :destination
             AND p.message_id = head.message_id
             AND p.next_attempt_at IS NULL
          """);

  private final Database.Tx tx;
  private final String destination;

  private ParkedWriter(Database.Tx tx, String destination) {
    this.tx = tx;
    this.destination = destination;
  }

  static void write(Database.Tx tx, Lane lane, List<Move> moves) throws SQLException {
    if (!moves.isEmpty()) {
      new ParkedWriter(tx, lane.destination()).write(moves);
    }
  }

  private void write(List<Move> moves) throws SQLException {
    List<Move.Park> fromLog = new ArrayList<>();
    List<Move.Park> again = new ArrayList<>();
    List<Move.Die> dieFromLog = new ArrayList<>();
    List<Move.Die> dieFromParked = new ArrayList<>();
    List<UUID> sent = new ArrayList<>();
    Set<Key> wake = new LinkedHashSet<>();
    Attempts attempts = new Attempts();
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
        attempts.add(delivery, die.attempts(), outcome, die.reason());
        if (key != null) {
          wake.add(key);
        }
      } else {
        sent.add(delivery.message().id());
        attempts.add(delivery, delivery.attempts() + 1, "SENT", null);
        if (key != null) {
          wake.add(key);
        }
      }
    }
    park(fromLog);
    parkAgain(again);
    die(DIE_FROM_LOG, dieFromLog);
    die(DIE_FROM_PARKED, dieFromParked);
    remove(sent);
    attempts.write();
    wake(tx, destination, wake);
  }

  private void park(List<Move.Park> parks) throws SQLException {
    if (parks.isEmpty()) {
      return;
    }
    try (Query query = tx.query(PARK)) {
      query.setLongs("seqs", parks.stream().map(p -> p.delivery().seq()).toList());
      set(query, parks).update();
    }
  }

  private void parkAgain(List<Move.Park> parks) throws SQLException {
    if (parks.isEmpty()) {
      return;
    }
    try (Query query = tx.query(PARK_AGAIN)) {
      query.setUuids("ids", parks.stream().map(p -> p.delivery().message().id()).toList());
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

  private void die(Sql sql, List<Move.Die> deaths) throws SQLException {
    if (deaths.isEmpty()) {
      return;
    }
    List<UUID> deadIds = deaths.stream().map(d -> UUID.randomUUID()).toList();
    List<@Nullable String> stacks = new ArrayList<>();
    deaths.forEach(d -> stacks.add(d.reason().stack()));
    try (Query query = tx.query(sql)) {
      if (sql == DIE_FROM_LOG) {
        query.setLongs("seqs", deaths.stream().map(d -> d.delivery().seq()).toList());
      } else {
        query.setUuids("ids", deaths.stream().map(d -> d.delivery().message().id()).toList());
      }
      query
          .set("destination", destination)
          .setUuids("deadIds", deadIds)
          .setTexts("codes", deaths.stream().map(Move.Die::code).toList())
          .setTexts("reasons", deaths.stream().map(d -> d.reason().code()).toList())
          .setTexts("errors", deaths.stream().map(d -> d.reason().text()).toList())
          .setTexts("stacks", stacks)
          .setArray("attempts", "int4", deaths.stream().map(Move.Die::attempts).toArray())
          .update();
    }
    hold(deaths, deadIds);
  }

  private void hold(List<Move.Die> deaths, List<UUID> deadIds) throws SQLException {
    List<Key> keys = new ArrayList<>();
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < deaths.size(); i++) {
      Key key = deaths.get(i).delivery().message().key();
      if (key != null && deaths.get(i).afterDead() == AfterDead.HOLD) {
        keys.add(key);
        ids.add(deadIds.get(i));
      }
    }
    if (keys.isEmpty()) {
      return;
    }
    try (Query query = tx.query(HOLD)) {
      setKeys(query, keys).set("destination", destination).setUuids("deadIds", ids).update();
    }
  }

  private void remove(List<UUID> ids) throws SQLException {
    if (ids.isEmpty()) {
      return;
    }
    try (Query query = tx.query(REMOVE)) {
      query.set("destination", destination).setUuids("ids", ids).update();
    }
  }

  /** Gives the first parked message of each of these keys its turn. */
  static void wake(Database.Tx tx, String destination, Set<Key> keys) throws SQLException {
    if (keys.isEmpty()) {
      return;
    }
    try (Query query = tx.query(WAKE)) {
      setKeys(query, keys).set("destination", destination).update();
    }
  }

  private static Query setKeys(Query query, Iterable<Key> keys) throws SQLException {
    List<String> aggregateTypes = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (Key key : keys) {
      aggregateTypes.add(key.aggregateType());
      ids.add(key.id());
    }
    return query.setTexts("aggregateTypes", aggregateTypes).setTexts("keys", ids);
  }

  private interface Text {
    @Nullable String of(Reason reason);
  }

  /** The history of these messages, collected and written at once. */
  private final class Attempts {
    private final List<UUID> ids = new ArrayList<>();
    private final List<Integer> numbers = new ArrayList<>();
    private final List<String> outcomes = new ArrayList<>();
    private final List<@Nullable String> reasons = new ArrayList<>();
    private final List<@Nullable String> errors = new ArrayList<>();

    void add(Delivery delivery, int attempt, String outcome, @Nullable Reason reason) {
      ids.add(delivery.message().id());
      numbers.add(attempt);
      outcomes.add(outcome);
      reasons.add(reason == null ? null : reason.code());
      errors.add(reason == null ? null : reason.text());
    }

    void write() throws SQLException {
      if (ids.isEmpty()) {
        return;
      }
      try (Query query = tx.query(ATTEMPTS)) {
        query
            .set("destination", destination)
            .setUuids("ids", ids)
            .setArray("attempts", "int4", numbers.toArray())
            .setTexts("outcomes", outcomes)
            .setTexts("reasons", reasons)
            .setTexts("errors", errors)
            .update();
      }
    }
  }
}
