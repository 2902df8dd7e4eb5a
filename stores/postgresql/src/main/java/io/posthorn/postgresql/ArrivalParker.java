package io.posthorn.postgresql;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.deadletter.Fingerprint;
import io.posthorn.core.inbox.Consumer;
import io.posthorn.core.source.Received;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Waiting;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parks and buries received messages, in the transaction of whoever received them. It holds no
 * lane, so it cannot know whether the one that a message is parked behind is being settled: such a
 * message waits as BEHIND, until a relay has looked (see {@link ParkedReader}).
 */
final class ArrivalParker {
  // The first of its key can go at once; so can one without a key.
  private static final String PARK_ALL =
      """
      WITH v AS MATERIALIZED (
        SELECT %s AS verdicts
      ), parked AS (
        INSERT INTO posthorn_parked
               (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                occurred_at, recorded_at, not_before, seq, position, sender, sequence, waiting, next_attempt_at,
                attempts, first_failed_at, last_failed_at, last_reason, last_error, last_stack)
        SELECT :consumer, d.id, d.type, d.schema_version, d.aggregate_type, d.key, d.payload, d.content_type,
               CAST(d.headers AS jsonb), CAST(d.occurred_at AS timestamptz), clock_timestamp(),
               CAST(d.not_before AS timestamptz), d.seq, d.seq, d.sender, nullif(d.sequence, 0), d.waiting,
               CASE WHEN d.waiting <> 'BEHIND' THEN clock_timestamp() + make_interval(secs => :delay) END,
               :attempts,
               CASE WHEN :attempts > 0 THEN clock_timestamp() END,
               CASE WHEN :attempts > 0 THEN clock_timestamp() END,
               :reason, :error, :stack
          FROM (SELECT w.*, nextval('posthorn_seq') AS seq
                  FROM (SELECT m.*,
                               CASE WHEN CAST(:waiting AS text) IS NOT NULL THEN :waiting
                                    WHEN m.key IS NULL THEN 'TURN'
                                    WHEN row_number() OVER (PARTITION BY m.aggregate_type, m.key ORDER BY m.n) = 1
                                     AND (SELECT true
                                            FROM posthorn_parked p
                                           WHERE p.destination = :consumer
                                             AND p.aggregate_type = m.aggregate_type
                                             AND p.key = m.key
                                             AND p.waiting <> 'TIME'
                                           LIMIT 1) IS NULL THEN 'TURN'
                                    ELSE 'BEHIND'
                               END AS waiting
                          FROM v
                         CROSS JOIN LATERAL
                               unnest(CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:types AS text[]),
                                      CAST(:schemaVersions AS int[]), CAST(:aggregateTypes AS text[]),
                                      CAST(:keys AS text[]), CAST(:payloads AS bytea[]), CAST(:contentTypes AS text[]),
                                      CAST(:headers AS text[]), CAST(:occurredAts AS text[]),
                                      CAST(:notBefores AS text[]), CAST(:sequences AS bigint[]), v.verdicts)
                                 WITH ORDINALITY
                                 AS m (sender, id, type, schema_version, aggregate_type, key, payload, content_type,
                                       headers, occurred_at, not_before, sequence, verdict, n)
                         WHERE m.verdict = 'PARKED'
                         ORDER BY m.n) w) d
            ON CONFLICT (destination, message_id) DO NOTHING
        RETURNING message_id, sender
      ), tried AS (
        INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome, reason, error)
        SELECT :consumer, p.message_id, :attempts, 'FAILED', :reason, :error
          FROM parked p
         WHERE :attempts > 0
            ON CONFLICT DO NOTHING
      )
      SELECT v.verdicts, ARRAY (SELECT ARRAY[p.sender, p.message_id::text] FROM parked p) AS parked
        FROM v
      """;

  static final Sql PARK = Sql.of("park received", PARK_ALL.formatted("CAST(:verdicts AS text[])"));

  // Receipts and messages in one round trip.
  static final Sql STORE =
      Sql.of(
          "store received",
          PARK_ALL.formatted(
              """
              posthorn_receive(:consumer, 'STORE', false, :receipts, false, CAST(:senders AS text[]),
                               CAST(:ids AS uuid[]), CAST(:days AS int[]), CAST(:digests AS bytea[]), CAST(:types AS text[]),
                               CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:sequences AS bigint[]))"""));

  // A copy of what waits for a person already is no second letter.
  private static final Sql BURY =
      Sql.of(
          "bury received",
          """
          WITH dead AS (
            INSERT INTO posthorn_dead
                   (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                    occurred_at, recorded_at, not_before, seq, position, sender, sequence, reason, last_reason, error,
                    stack, fingerprint, attempts, first_failed_at, last_failed_at)
            SELECT :consumer, d.id, d.type, d.schema_version, d.aggregate_type, d.key, d.payload, d.content_type,
                   CAST(d.headers AS jsonb), CAST(d.occurred_at AS timestamptz), clock_timestamp(),
                   CAST(d.not_before AS timestamptz), d.seq, d.seq, d.sender, nullif(d.sequence, 0), :reason, :reason,
                   :error, :stack, :fingerprint, :attempts, clock_timestamp(), clock_timestamp()
              FROM (SELECT w.*, nextval('posthorn_seq') AS seq
                      FROM (SELECT m.*
                              FROM unnest(CAST(:senders AS text[]), CAST(:ids AS uuid[]), CAST(:types AS text[]),
                                          CAST(:schemaVersions AS int[]), CAST(:aggregateTypes AS text[]),
                                          CAST(:keys AS text[]), CAST(:payloads AS bytea[]),
                                          CAST(:contentTypes AS text[]), CAST(:headers AS text[]),
                                          CAST(:occurredAts AS text[]), CAST(:notBefores AS text[]),
                                          CAST(:sequences AS bigint[]))
                                     WITH ORDINALITY
                                     AS m (sender, id, type, schema_version, aggregate_type, key, payload,
                                           content_type, headers, occurred_at, not_before, sequence, n)
                             WHERE NOT EXISTS (SELECT 1
                                                 FROM posthorn_dead x
                                                WHERE x.message_id = m.id
                                                  AND x.destination = :consumer
                                                  AND x.sender = m.sender
                                                  AND x.state = 'DEAD'
                                                  AND x.reason = :reason
                                                  AND x.payload = m.payload)
                             ORDER BY m.n) w) d
            RETURNING id, message_id, aggregate_type, key
          ), tried AS (
            INSERT INTO posthorn_attempt (destination, message_id, attempt, outcome, reason, error)
            SELECT :consumer, d.message_id, :attempts, 'REJECTED', :reason, :error
              FROM dead d
             WHERE :attempts > 0
                ON CONFLICT DO NOTHING
          ), held AS (
            INSERT INTO posthorn_held (destination, aggregate_type, key, dead_id)
            SELECT :consumer, d.aggregate_type, d.key, d.id
              FROM dead d
             WHERE :hold
               AND d.key IS NOT NULL
                ON CONFLICT DO NOTHING
          )
          SELECT d.id FROM dead d
          """);

  /** Why and for how long; nothing of it for one that only waits for its turn. */
  record Wait(@Nullable Waiting waiting, Duration delay, int attempts, @Nullable Reason reason) {
    static final Wait TURN = new Wait(null, Duration.ZERO, 0, null);
  }

  /** The verdicts, and the sender and id of each one that was parked. */
  record Parked(List<String> verdicts, Set<List<String>> messages) {
    boolean has(Received received) {
      return messages.contains(List.of(received.sender(), received.message().id().toString()));
    }
  }

  private final Connection tx;
  private final Tables tables;
  private final Consumer consumer;

  ArrivalParker(Connection tx, Tables tables, Consumer consumer) {
    this.tx = tx;
    this.tables = tables;
    this.consumer = consumer;
  }

  Parked store(Arrivals arrivals) throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, STORE)) {
      arrivals.setIdentities(query).set("receipts", !consumer.idempotent());
      return park(query, arrivals, Wait.TURN);
    }
  }

  /** Parks those whose verdict says so. */
  Parked park(Arrivals arrivals, List<String> verdicts, Wait wait) throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, PARK)) {
      return park(query.setTexts("verdicts", verdicts), arrivals, wait);
    }
  }

  private Parked park(Query query, Arrivals arrivals, Wait wait) throws SQLException {
    Reason reason = wait.reason;
    arrivals
        .setMessages(query)
        .set("consumer", consumer.name())
        .set("waiting", wait.waiting == null ? null : wait.waiting.name())
        .set("delay", wait.delay)
        .set("attempts", wait.attempts)
        .set("reason", reason == null ? null : reason.code())
        .set("error", reason == null ? null : reason.text())
        .set("stack", reason == null ? null : reason.stack());
    return Objects.requireNonNull(
        query.first(
            row ->
                new Parked(
                    List.of((String[]) row.getArray("verdicts").getArray()),
                    pairs(row.getArray("parked")))));
  }

  private static Set<List<String>> pairs(Array array) throws SQLException {
    return Arrays.stream((Object[]) array.getArray())
        .map(pair -> List.of((String[]) pair))
        .collect(Collectors.toSet());
  }

  /** A dead letter without an attempt: no handler has seen it. False if it is one already. */
  boolean bury(Received message, Reason reason) throws SQLException {
    return bury(message, reason, 0, false);
  }

  /** The handler rejected it. */
  boolean buryRejected(Received message, Reason reason) throws SQLException {
    return bury(message, reason, 1, consumer.afterDead() == AfterDead.HOLD);
  }

  private boolean bury(Received message, Reason reason, int attempts, boolean hold)
      throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, BURY)) {
      return new Arrivals(List.of(message))
          .setMessages(query)
          .set("consumer", consumer.name())
          .set("reason", reason.code())
          .set("error", reason.text())
          .set("stack", reason.stack())
          .set("fingerprint", Fingerprint.of(reason))
          .set("attempts", attempts)
          .set("hold", hold)
          .any();
    }
  }
}
