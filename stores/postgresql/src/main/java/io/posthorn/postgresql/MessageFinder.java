package io.posthorn.postgresql;

import io.posthorn.core.message.MessageState;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.Waiting;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Derives the state of a message from what is stored anyway: no row of the log is ever updated, so
 * its state is where the cursors, the parked messages and the dead letters say it is.
 */
final class MessageFinder {
  private static final Sql MESSAGE =
      Sql.of(
          "find message",
          """
          SELECT m.seq, m.id, m.type, m.schema_version, m.aggregate_type, m.key, m.payload, m.content_type, m.headers,
                 m.cipher_key,
                 (date_part('epoch', m.occurred_at) * 1000000)::bigint,
                 (date_part('epoch', m.recorded_at) * 1000000)::bigint,
                 (date_part('epoch', m.not_before) * 1000000)::bigint
            FROM (SELECT seq, id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                         occurred_at, recorded_at, not_before
                    FROM posthorn_log
                   WHERE id = :id
                  UNION ALL
                  SELECT seq, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                         cipher_key, occurred_at, recorded_at, not_before
                    FROM posthorn_dead
                   WHERE message_id = :id) m
           LIMIT 1
          """);

  private static final Sql DELIVERIES =
      Sql.of(
          "find deliveries",
          """
          SELECT d.name,
                 CASE WHEN p.message_id IS NOT NULL AND p.waiting = 'ANSWER' AND r.id IS NOT NULL THEN 'IN_FLIGHT'
                      WHEN p.message_id IS NOT NULL AND p.attempts > 0 THEN 'FAILED'
                      WHEN p.message_id IS NOT NULL THEN 'PENDING'
                      WHEN x.state = 'DEAD' THEN 'DEAD'
                      WHEN x.state = 'DISCARDED' THEN 'DISCARDED'
                      WHEN l.seq IS NULL THEN 'SENT'
                      WHEN pg_visible_in_snapshot(l.tx, c.s1) THEN 'SENT'
                      WHEN pg_visible_in_snapshot(l.tx, c.s2)
                           AND (l.seq <= c.last_seq OR l.seq = ANY (c.ahead)) THEN 'SENT'
                      WHEN pg_visible_in_snapshot(l.tx, c.s2) AND r.id IS NOT NULL THEN 'IN_FLIGHT'
                      ELSE 'PENDING'
                 END AS state,
                 coalesce(p.attempts, x.attempts, 0) AS attempts,
                 (date_part('epoch', p.next_attempt_at) * 1000000)::bigint AS next_attempt_at,
                 (date_part('epoch', r.expires_at) * 1000000)::bigint AS locked_until,
                 p.waiting,
                 coalesce(p.last_error, x.error) AS last_error,
                 CASE WHEN x.state = 'DEAD' THEN x.reason END AS dead_reason
            FROM posthorn_destination d
            LEFT JOIN posthorn_log l ON l.id = :id
            LEFT JOIN posthorn_parked p ON p.destination = d.name AND p.message_id = :id
            LEFT JOIN LATERAL
                 (SELECT x.state, x.attempts, x.reason, x.error
                    FROM posthorn_dead x
                   WHERE x.destination = d.name
                     AND x.message_id = :id
                   ORDER BY x.created_at DESC
                   LIMIT 1) x ON true
            LEFT JOIN posthorn_lane n ON n.destination = d.name AND n.lane = 0
            LEFT JOIN posthorn_relay r ON r.id = n.relay AND r.expires_at > clock_timestamp()
            LEFT JOIN LATERAL
                 (SELECT c.s1, c.s2, c.last_seq, c.ahead
                    FROM posthorn_progress c
                   WHERE c.destination = d.name
                     AND c.lane = 0
                   ORDER BY c.n DESC
                   LIMIT 1) c ON true
           WHERE p.message_id IS NOT NULL
              OR x.state IS NOT NULL
              OR EXISTS (SELECT 1
                           FROM posthorn_route t
                          WHERE t.destination = d.name
                            AND t.type IN (l.type, '*')
                            AND (l.seq > t.since_seq
                                 OR (NOT pg_visible_in_snapshot(l.tx, t.since)
                                     AND l.recorded_at >= t.since_time)))
              OR EXISTS (SELECT 1
                           FROM posthorn_attempt a
                          WHERE a.message_id = :id
                            AND a.destination = d.name)
           ORDER BY d.name
          """);

  private static final Sql ATTEMPTS =
      Sql.of(
          "find attempts",
          """
          SELECT attempt, (date_part('epoch', at) * 1000000)::bigint AS at, outcome, reason, error
            FROM posthorn_attempt
           WHERE message_id = :id
             AND destination = :destination
           ORDER BY attempt
          """);

  private final Database database;

  MessageFinder(Database database) {
    this.database = database;
  }

  Optional<MessageStory> find(UUID id) {
    return database.transaction(
        "finding message " + id,
        tx -> {
          Delivery found;
          try (Query query = tx.query(MESSAGE)) {
            found = query.set("id", id).first(MessageRow::fromLog);
          }
          if (found == null) {
            return Optional.empty();
          }
          return Optional.of(
              new MessageStory(
                  found.message(), found.seq(), found.recordedAt(), deliveries(tx, found)));
        });
  }

  private static List<DeliveryStory> deliveries(Database.Tx tx, Delivery found)
      throws SQLException {
    UUID id = found.message().id();
    List<DeliveryStory> stories = new ArrayList<>();
    List<DeliveryStory> known;
    try (Query query = tx.query(DELIVERIES)) {
      known = query.set("id", id).rows(MessageFinder::delivery);
    }
    for (DeliveryStory story : known) {
      List<Attempt> history = attempts(tx, id, story.destination());
      stories.add(complete(tx, found, story, history));
    }
    return stories;
  }

  private static DeliveryStory delivery(ResultSet row) throws SQLException {
    String waiting = row.getString("waiting");
    MessageState state = MessageState.valueOf(row.getString("state"));
    return new DeliveryStory(
        row.getString("name"),
        state,
        row.getInt("attempts"),
        instant(row, "next_attempt_at"),
        state == MessageState.IN_FLIGHT ? instant(row, "locked_until") : null,
        waiting == null ? null : Waiting.valueOf(waiting),
        row.getString("last_error"),
        null,
        row.getString("dead_reason"),
        List.of());
  }

  private static DeliveryStory complete(
      Database.Tx tx, Delivery found, DeliveryStory story, List<Attempt> history)
      throws SQLException {
    Instant sentAt = null;
    if (story.state() == MessageState.SENT) {
      sentAt =
          history.stream()
              .filter(attempt -> attempt.outcome().equals("SENT"))
              .map(Attempt::at)
              .reduce((first, last) -> last)
              .orElse(null);
      if (sentAt == null) {
        sentAt = SentAt.find(tx, story.destination(), found.message().id());
      }
    }
    int attempts = history.isEmpty() ? story.attempts() : history.get(history.size() - 1).number();
    return new DeliveryStory(
        story.destination(),
        story.state(),
        Math.max(attempts, story.attempts()),
        story.nextAttemptAt(),
        story.lockedUntil(),
        story.waiting(),
        story.lastError(),
        sentAt,
        story.deadReason(),
        history);
  }

  static List<Attempt> attempts(Database.Tx tx, UUID id, String destination) throws SQLException {
    try (Query query = tx.query(ATTEMPTS)) {
      return query
          .set("id", id)
          .set("destination", destination)
          .rows(
              row ->
                  new Attempt(
                      row.getInt("attempt"),
                      MessageRow.instant(row.getLong("at")),
                      row.getString("outcome"),
                      row.getString("reason"),
                      row.getString("error")));
    }
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? null : MessageRow.instant(micros);
  }
}
