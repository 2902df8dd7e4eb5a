package io.posthorn.postgresql.operate.story;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.MessageState;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.MessageStory.Neighbour;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.schema.FindingIndexes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Derives the state of a message. No row of the log is ever updated, so the cursors, the parked
 * messages and the dead letters determine its state.
 */
public final class MessageFinder {
  // A message that was requeued under a new id and sent is known only from its dead letter.
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
                         occurred_at, recorded_at, not_before, 1 AS place
                    FROM posthorn_log
                   WHERE id = :id
                  UNION ALL
                  SELECT p.seq, p.message_id, p.type, p.schema_version, p.aggregate_type, p.key, p.payload,
                         p.content_type, p.headers, p.cipher_key, p.occurred_at, p.recorded_at, p.not_before, 2
                    FROM posthorn_destination d
                    JOIN posthorn_parked p ON p.destination = d.name AND p.message_id = :id
                  UNION ALL
                  SELECT seq, message_id, type, schema_version, aggregate_type, key, payload, content_type, headers,
                         cipher_key, occurred_at, recorded_at, not_before, 3
                    FROM posthorn_dead
                   WHERE message_id = :id
                  UNION ALL
                  SELECT seq, requeued_as, type, schema_version, aggregate_type, key, payload, content_type, headers,
                         cipher_key, occurred_at, recorded_at, not_before, 4
                    FROM posthorn_dead
                   WHERE requeued_as = :id
                     AND requeued_as <> message_id) m
           ORDER BY m.place
           LIMIT 1
          """);

  private static final Sql REQUEUED_FROM =
      Sql.of(
          "find id before",
          """
          SELECT message_id
            FROM posthorn_dead
           WHERE requeued_as = :id
             AND requeued_as <> message_id
           LIMIT 1
          """);

  // ANY instead of "=", because then only the index on (key, seq) has this order. For a frequent
  // key the planner would expect to meet it soon on a walk by seq, which may lead through the whole
  // log.
  private static final Sql NEIGHBOURS =
      Sql.of(
          "find neighbours",
          """
          SELECT n.side, n.id, n.seq, n.type, (date_part('epoch', n.recorded_at) * 1000000)::bigint AS recorded_at
            FROM (SELECT side, id, seq, type, recorded_at
                    FROM (SELECT 'before' AS side, id, seq, type, recorded_at
                            FROM posthorn_log
                           WHERE key = ANY (ARRAY[CAST(:key AS text)])
                             AND coalesce(aggregate_type, '') = :aggregateType
                             AND seq < :seq
                             AND seq > :above
                           ORDER BY key DESC, seq DESC
                           LIMIT 1) before
                  UNION ALL
                  SELECT side, id, seq, type, recorded_at
                    FROM (SELECT 'after' AS side, id, seq, type, recorded_at
                            FROM posthorn_log
                           WHERE key = ANY (ARRAY[CAST(:key AS text)])
                             AND coalesce(aggregate_type, '') = :aggregateType
                             AND seq > :seq
                             AND seq < :below
                           ORDER BY key, seq
                           LIMIT 1) after) n
          """);

  private static final Sql DELIVERIES =
      Sql.of(
          "find deliveries",
          """
          SELECT destination, state, attempts, waiting, last_error, dead_reason, goes_as,
                 (date_part('epoch', next_attempt_at) * 1000000)::bigint AS next_attempt_at,
                 (date_part('epoch', locked_until) * 1000000)::bigint AS locked_until
            FROM posthorn_message_state
           WHERE id = :id
           ORDER BY destination
          """);

  // Covers all ids, because a letter may have been requeued under new ids several times.
  private static final Sql HISTORIES =
      Sql.of(
          "find history",
          """
          WITH RECURSIVE goes AS (
            SELECT CAST(:id AS uuid) AS id, CAST(NULL AS text) COLLATE "C" AS destination
            UNION
            SELECT x.requeued_as, x.destination
              FROM goes
              JOIN posthorn_dead x ON x.message_id = goes.id
             WHERE x.requeued_as <> x.message_id
               AND x.destination = coalesce(goes.destination, x.destination)
          )
          SELECT a.destination, a.attempt, (date_part('epoch', a.at) * 1000000)::bigint AS at, a.outcome, a.reason,
                 a.error
            FROM goes
            JOIN posthorn_attempt a ON a.message_id = goes.id
           WHERE a.destination = coalesce(goes.destination, a.destination)
           ORDER BY a.destination, a.attempt, a.at
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

  /** Without an index by key, neighbours are searched among this many numbers on each side. */
  private static final long NEAR = 10_000;

  private final Database database;

  public MessageFinder(Database database) {
    this.database = database;
  }

  public Optional<MessageStory> find(UUID id) {
    return database.asks(
        "finding message " + id,
        tx -> {
          Delivery found;
          try (Query query = tx.query(MESSAGE)) {
            found = query.set("id", id).first(MessageRow::fromLog);
          }
          if (found == null) {
            return Optional.empty();
          }
          UUID requeuedFrom;
          try (Query query = tx.query(REQUEUED_FROM)) {
            requeuedFrom = query.set("id", id).first(row -> row.getObject(1, UUID.class));
          }
          Map<String, Neighbour> neighbours = neighbours(tx, found);
          return Optional.of(
              new MessageStory(
                  found.message(),
                  found.seq(),
                  found.recordedAt(),
                  found.cipherKey(),
                  requeuedFrom,
                  neighbours.get("before"),
                  neighbours.get("after"),
                  deliveries(tx, found)));
        });
  }

  private static Map<String, Neighbour> neighbours(Database.Tx tx, Delivery found)
      throws SQLException {
    Map<String, Neighbour> neighbours = new HashMap<>();
    Key key = found.message().key();
    if (key == null) {
      return neighbours;
    }
    boolean indexed = FindingIndexes.of(tx).byKey();
    try (Query query = tx.query(NEIGHBOURS)) {
      query
          .set("above", indexed ? -1 : found.seq() - NEAR)
          .set("below", indexed ? Long.MAX_VALUE : found.seq() + NEAR)
          .set("aggregateType", key.aggregateType())
          .set("key", key.id())
          .set("seq", found.seq())
          .rows(row -> neighbours.put(row.getString("side"), neighbour(row)));
    }
    return neighbours;
  }

  private static Neighbour neighbour(ResultSet row) throws SQLException {
    return new Neighbour(
        row.getObject("id", UUID.class),
        row.getLong("seq"),
        row.getString("type"),
        Times.instant(row.getLong("recorded_at")));
  }

  private static List<DeliveryStory> deliveries(Database.Tx tx, Delivery found)
      throws SQLException {
    UUID id = found.message().id();
    List<DeliveryStory> known;
    try (Query query = tx.query(DELIVERIES)) {
      known = query.set("id", id).rows(MessageFinder::delivery);
    }
    List<String> sent =
        known.stream()
            .filter(story -> story.state() == MessageState.SENT)
            .map(DeliveryStory::destination)
            .toList();
    Map<String, Instant> settledAt = sent.isEmpty() ? Map.of() : SentAt.find(tx, sent, id);
    Map<String, List<Attempt>> histories = histories(tx, id);
    List<DeliveryStory> stories = new ArrayList<>();
    for (DeliveryStory story : known) {
      List<Attempt> history = histories.getOrDefault(story.destination(), List.of());
      stories.add(complete(story, history, settledAt.get(story.destination())));
    }
    return stories;
  }

  private static DeliveryStory delivery(ResultSet row) throws SQLException {
    String waiting = row.getString("waiting");
    MessageState state = MessageState.valueOf(row.getString("state"));
    return new DeliveryStory(
        row.getString("destination"),
        state,
        row.getInt("attempts"),
        instant(row, "next_attempt_at"),
        state == MessageState.IN_FLIGHT ? instant(row, "locked_until") : null,
        waiting == null ? null : Waiting.valueOf(waiting),
        row.getString("last_error"),
        null,
        row.getString("dead_reason"),
        row.getObject("goes_as", UUID.class),
        List.of());
  }

  private static DeliveryStory complete(
      DeliveryStory story, List<Attempt> history, @Nullable Instant settledAt) {
    Instant sentAt = null;
    if (story.state() == MessageState.SENT) {
      sentAt =
          history.stream()
              .filter(attempt -> attempt.outcome().equals("SENT"))
              .map(Attempt::at)
              .reduce((first, last) -> last)
              .orElse(settledAt);
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
        story.requeuedAs(),
        history);
  }

  private static Map<String, List<Attempt>> histories(Database.Tx tx, UUID id) throws SQLException {
    Map<String, List<Attempt>> histories = new HashMap<>();
    try (Query query = tx.query(HISTORIES)) {
      query
          .set("id", id)
          .rows(
              row ->
                  histories
                      .computeIfAbsent(row.getString("destination"), name -> new ArrayList<>())
                      .add(attempt(row)));
    }
    return histories;
  }

  public static List<Attempt> attempts(Database.Tx tx, UUID id, String destination)
      throws SQLException {
    try (Query query = tx.query(ATTEMPTS)) {
      return query.set("id", id).set("destination", destination).rows(MessageFinder::attempt);
    }
  }

  private static Attempt attempt(ResultSet row) throws SQLException {
    return new Attempt(
        row.getInt("attempt"),
        Times.instant(row.getLong("at")),
        row.getString("outcome"),
        row.getString("reason"),
        row.getString("error"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    long micros = row.getLong(column);
    return row.wasNull() ? null : Times.instant(micros);
  }
}
