package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.postgresql.message.HeadersJson;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.operate.story.MessageFinder;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds dead letters. Criteria that a query does not use are nulls, which the planner removes,
 * because these statements are planned for their values. Searching errors ignores case only for A
 * to Z; folding the letters of all languages would take three times as long.
 */
public final class DeadLetterReader {
  // Reads state by state, so that each is read in order and no further than the page.
  private static final Sql LIST =
      Sql.of(
          "list dead letters",
          """
          SELECT d.id, d.destination, d.message_id, d.type, d.aggregate_type, d.key, d.state, d.reason, d.last_reason,
                 d.error, d.attempts, d.created_at, d.first_failed_at, d.last_failed_at, d.fingerprint,
                 octet_length(d.payload) AS payload_bytes, d.requeued_at, d.requeued_as, d.outcome, d.outcome_at
            FROM unnest(CAST(:states AS text[])) AS asked (state)
           CROSS JOIN LATERAL
                 (SELECT id, destination, message_id, type, aggregate_type, key, state, reason, last_reason, error,
                         attempts, created_at, first_failed_at, last_failed_at, fingerprint, payload, requeued_at,
                         requeued_as, outcome, outcome_at
                    FROM posthorn_dead x
                   WHERE state = asked.state
                     AND posthorn_is_asked_for(x, CAST(:destination AS text), CAST(:type AS text), CAST(:reason AS text),
                                               CAST(:aggregateType AS text), CAST(:key AS text), CAST(:from AS timestamptz),
                                               CAST(:to AS timestamptz), CAST(:error AS text), CAST(:headers AS jsonb),
                                               CAST(:fingerprint AS text), CAST(:messageId AS uuid))
                     AND (CAST(:afterId AS uuid) IS NULL
                          OR (created_at, id) > (CAST(:afterAt AS timestamptz), CAST(:afterId AS uuid)))
                   ORDER BY created_at, id
                   LIMIT :limit) d
           ORDER BY d.created_at, d.id
           LIMIT :limit
          """);

  private static final Sql COUNT =
      Sql.of(
          "count dead letters",
          """
          SELECT count(*)
            FROM posthorn_dead x
           WHERE state = ANY (CAST(:states AS text[]))
             AND posthorn_is_asked_for(x, CAST(:destination AS text), CAST(:type AS text), CAST(:reason AS text),
                                       CAST(:aggregateType AS text), CAST(:key AS text), CAST(:from AS timestamptz),
                                       CAST(:to AS timestamptz), CAST(:error AS text), CAST(:headers AS jsonb),
                                       CAST(:fingerprint AS text), CAST(:messageId AS uuid))
          """);

  private static final Sql LETTER =
      Sql.of(
          "find dead letter",
          """
          SELECT id, destination, message_id, type, aggregate_type, key, state, reason, last_reason, error, attempts,
                 created_at, first_failed_at, last_failed_at, fingerprint, octet_length(payload) AS payload_bytes,
                 requeued_at, requeued_as, outcome, outcome_at, stack, previous, corrected
            FROM posthorn_dead
           WHERE id = :id
          """);

  private static final Sql MESSAGE =
      Sql.of(
          "read dead letter",
          """
          SELECT seq, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                 (date_part('epoch', occurred_at) * 1000000)::bigint,
                 (date_part('epoch', recorded_at) * 1000000)::bigint,
                 (date_part('epoch', not_before) * 1000000)::bigint
            FROM posthorn_dead
           WHERE id = :id
          """);

  // The count is capped, because a key may have very many messages.
  private static final Sql YOUNGER =
      Sql.of(
          "count younger ones",
          """
          SELECT count(*)
            FROM posthorn_dead d
           CROSS JOIN LATERAL
                 posthorn_cursor_of(d.destination, posthorn_bucket(d.aggregate_type, d.key, d.message_id)) c
           CROSS JOIN LATERAL
                 (SELECT l.id, l.seq, l.tx, l.type
                    FROM posthorn_log l
                   WHERE l.key = d.key
                     AND coalesce(l.aggregate_type, '') = d.aggregate_type
                     AND l.seq > d.position
                   ORDER BY l.key, l.seq
                   LIMIT 1000) l
           WHERE d.id = :id
             AND posthorn_settled(l.tx, l.seq, c.s1, c.s2, c.last_seq, c.ahead)
             AND EXISTS (SELECT 1
                           FROM posthorn_route r
                          WHERE r.destination = d.destination
                            AND r.type IN (l.type, '*'))
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_parked q
                              WHERE q.destination = d.destination
                                AND q.message_id = l.id)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_dead x
                              WHERE x.destination = d.destination
                                AND x.message_id = l.id
                                AND x.state IN ('DEAD', 'DISCARDED'))
          """);

  private final Database database;

  public DeadLetterReader(Database database) {
    this.database = database;
  }

  public List<DeadLetter> list(DeadLetterQuery asked, @Nullable DeadLetter after, int limit) {
    return database.ask(
        "listing dead letters",
        LIST,
        query ->
            set(query, asked)
                .set("afterId", after == null ? null : after.id().toString())
                .set("afterAt", after == null ? null : after.createdAt().toString())
                .set("limit", limit)
                .rows(DeadLetterRow::letter));
  }

  public long count(DeadLetterQuery asked) {
    return database.ask(
        "counting dead letters",
        COUNT,
        query -> Objects.requireNonNull(set(query, asked).first(row -> row.getLong(1))));
  }

  public static Query set(Query query, DeadLetterQuery asked) throws SQLException {
    return query
        .setTexts("states", asked.states().stream().map(Enum::name).toList())
        .set("destination", asked.destination())
        .set("type", asked.type())
        .set("reason", asked.reason())
        .set("aggregateType", asked.aggregateType())
        .set("key", asked.key())
        .set("from", asked.from() == null ? null : asked.from().toString())
        .set("to", asked.to() == null ? null : asked.to().toString())
        .set("error", asked.error())
        .set("headers", HeadersJson.write(asked.headers()))
        .set("fingerprint", asked.fingerprint())
        .set("messageId", asked.messageId() == null ? null : asked.messageId().toString());
  }

  @SuppressWarnings("ArrayRecordComponent") // is read once and never compared
  private record Found(
      DeadLetter letter,
      @Nullable String stack,
      @Nullable UUID previous,
      byte @Nullable [] corrected) {}

  public Optional<DeadLetterDetail> find(UUID id) {
    return database.transaction(
        "finding dead letter " + id,
        tx -> {
          Found found;
          try (Query query = tx.query(LETTER)) {
            found =
                query
                    .set("id", id)
                    .first(
                        row ->
                            new Found(
                                DeadLetterRow.letter(row),
                                row.getString("stack"),
                                row.getObject("previous", UUID.class),
                                row.getBytes("corrected")));
          }
          if (found == null) {
            return Optional.empty();
          }
          Delivery stored;
          try (Query query = tx.query(MESSAGE)) {
            stored = Objects.requireNonNull(query.set("id", id).first(MessageRow::fromLog));
          }
          Message message = stored.message();
          List<Attempt> history =
              MessageFinder.attempts(tx, message.id(), found.letter.destination());
          return Optional.of(
              new DeadLetterDetail(
                  found.letter,
                  message,
                  stored.cipherKey(),
                  stored.recordedAt(),
                  found.stack,
                  history,
                  found.previous,
                  found.corrected == null ? null : message.withPayload(found.corrected),
                  message.key() == null ? 0 : younger(tx, id)));
        });
  }

  private static long younger(Database.Tx tx, UUID id) throws SQLException {
    try (Query query = tx.query(YOUNGER)) {
      return Objects.requireNonNull(query.set("id", id).first(row -> row.getLong(1)));
    }
  }
}
