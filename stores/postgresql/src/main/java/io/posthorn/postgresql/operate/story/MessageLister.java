package io.posthorn.postgresql.operate.story;

import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.operate.story.MessagePage;
import io.posthorn.core.operate.story.MessageQuery;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.schema.FindingIndexes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lists messages of the log by sequence number. Criteria that a query does not use are nulls, which
 * the planner removes. Keys and correlation ids have an index unless it was left out. Without it,
 * the log is read in growing steps, and only so far that an answer comes soon.
 */
public final class MessageLister {
  private static final long[] STEPS = {2_000, 20_000, 80_000};

  // The order is that of the index that must be used; see the neighbours in MessageFinder.
  private static final Sql NEWEST_FIRST =
      Sql.of(
          "list messages, newest first",
          """
          SELECT id, seq, type, aggregate_type, key, headers ->> 'correlation-id' AS correlation_id, recorded_at,
                 octet_length(payload) AS payload_bytes
            FROM posthorn_log
           WHERE seq > :above
             AND seq <= :upto
             AND (CAST(:key AS text) IS NULL OR key = ANY (ARRAY[CAST(:key AS text)]))
             AND (CAST(:aggregateType AS text) IS NULL
                  OR (key IS NOT NULL AND coalesce(aggregate_type, '') = CAST(:aggregateType AS text)))
             AND (CAST(:correlationId AS text) IS NULL
                  OR headers ->> 'correlation-id' = ANY (ARRAY[CAST(:correlationId AS text)]))
             AND (CAST(:type AS text) IS NULL OR type = CAST(:type AS text))
             AND recorded_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND recorded_at < coalesce(CAST(:to AS timestamptz), 'infinity')
           ORDER BY CASE WHEN CAST(:key AS text) IS NOT NULL THEN key END DESC,
                    CASE WHEN CAST(:key AS text) IS NULL AND CAST(:correlationId AS text) IS NOT NULL
                         THEN headers ->> 'correlation-id'
                    END DESC,
                    seq DESC
           LIMIT :limit
          """);

  private static final Sql OLDEST_FIRST =
      Sql.of(
          "list messages, oldest first",
          """
          SELECT id, seq, type, aggregate_type, key, headers ->> 'correlation-id' AS correlation_id, recorded_at,
                 octet_length(payload) AS payload_bytes
            FROM posthorn_log
           WHERE seq > :above
             AND seq <= :upto
             AND (CAST(:key AS text) IS NULL OR key = ANY (ARRAY[CAST(:key AS text)]))
             AND (CAST(:aggregateType AS text) IS NULL
                  OR (key IS NOT NULL AND coalesce(aggregate_type, '') = CAST(:aggregateType AS text)))
             AND (CAST(:correlationId AS text) IS NULL
                  OR headers ->> 'correlation-id' = ANY (ARRAY[CAST(:correlationId AS text)]))
             AND (CAST(:type AS text) IS NULL OR type = CAST(:type AS text))
             AND recorded_at >= coalesce(CAST(:from AS timestamptz), '-infinity')
             AND recorded_at < coalesce(CAST(:to AS timestamptz), 'infinity')
           ORDER BY CASE WHEN CAST(:key AS text) IS NOT NULL THEN key END,
                    CASE WHEN CAST(:key AS text) IS NULL AND CAST(:correlationId AS text) IS NOT NULL
                         THEN headers ->> 'correlation-id'
                    END,
                    seq
           LIMIT :limit
          """);

  private static final Sql STATES =
      Sql.of(
          "list states",
          """
          SELECT id, destination, state
            FROM posthorn_message_state
           WHERE id = ANY (CAST(:ids AS uuid[]))
          """);

  private final Database database;

  public MessageLister(Database database) {
    this.database = database;
  }

  public MessagePage list(MessageQuery asked, @Nullable Long after, int limit) {
    return database.asks(
        "listing messages",
        tx -> {
          SeqRange range = SeqRange.of(tx, asked).after(after, asked.newestFirst());
          return isIndexed(tx, asked)
              ? lookUp(tx, asked, range, limit)
              : walk(tx, asked, range, limit);
        });
  }

  /** If a key is asked for, the order is that of its index. */
  private static boolean isIndexed(Database.Tx tx, MessageQuery asked) throws SQLException {
    if (asked.key() == null && asked.correlationId() == null) {
      return false;
    }
    FindingIndexes there = FindingIndexes.of(tx);
    return asked.key() == null ? there.byCorrelation() : there.byKey();
  }

  private static MessagePage lookUp(Database.Tx tx, MessageQuery asked, SeqRange range, int limit)
      throws SQLException {
    List<ListedMessage> found = read(tx, asked, range, limit);
    return new MessagePage(withStates(tx, found), found.size() < limit ? null : last(found), false);
  }

  private static MessagePage walk(Database.Tx tx, MessageQuery asked, SeqRange all, int limit)
      throws SQLException {
    List<ListedMessage> found = new ArrayList<>();
    SeqRange rest = all;
    for (long step : STEPS) {
      SeqRange part = rest.first(step, asked.newestFirst());
      found.addAll(read(tx, asked, part, limit - found.size()));
      if (found.size() == limit) {
        return new MessagePage(withStates(tx, found), last(found), true);
      }
      rest = rest.without(part, asked.newestFirst());
      if (rest.isEmpty()) {
        return new MessagePage(withStates(tx, found), null, true);
      }
    }
    // The next page begins at the next message that exists, so gaps are not walked through.
    return new MessagePage(withStates(tx, found), rest.place(asked.newestFirst()), true);
  }

  private static Long last(List<ListedMessage> found) {
    return found.get(found.size() - 1).seq();
  }

  private static List<ListedMessage> read(
      Database.Tx tx, MessageQuery asked, SeqRange range, int limit) throws SQLException {
    try (Query query = tx.query(asked.newestFirst() ? NEWEST_FIRST : OLDEST_FIRST)) {
      return query
          .set("above", range.above())
          .set("upto", range.upto())
          .set("key", asked.key())
          .set("aggregateType", asked.aggregateType())
          .set("correlationId", asked.correlationId())
          .set("type", asked.type())
          .set("from", Objects.toString(asked.from(), null))
          .set("to", Objects.toString(asked.to(), null))
          .set("limit", limit)
          .rows(MessageLister::message);
    }
  }

  private static ListedMessage message(ResultSet row) throws SQLException {
    return new ListedMessage(
        row.getObject("id", UUID.class),
        row.getLong("seq"),
        row.getString("type"),
        MessageRow.key(row),
        row.getString("correlation_id"),
        Times.instant(row, "recorded_at"),
        row.getInt("payload_bytes"),
        new TreeMap<>());
  }

  private static List<ListedMessage> withStates(Database.Tx tx, List<ListedMessage> found)
      throws SQLException {
    if (found.isEmpty()) {
      return found;
    }
    Map<UUID, ListedMessage> byId = new HashMap<>();
    found.forEach(message -> byId.put(message.id(), message));
    try (Query query = tx.query(STATES)) {
      query
          .setUuids("ids", byId.keySet())
          .rows(
              row ->
                  Objects.requireNonNull(byId.get(row.getObject("id", UUID.class)))
                      .states()
                      .put(
                          row.getString("destination"),
                          MessageState.valueOf(row.getString("state"))));
    }
    return found;
  }
}
