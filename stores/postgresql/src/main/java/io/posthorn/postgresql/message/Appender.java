package io.posthorn.postgresql.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Settings;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import io.posthorn.postgresql.sql.TableNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Stores messages in the caller's transaction, in one statement and one round trip for any number
 * of messages. It neither commits nor closes the connection, and changes none of its settings.
 */
public final class Appender {
  /** The most ordered keys of a transaction; {@code posthorn_lock_keys} says why. */
  private static final int MOST_ORDERED_KEYS = 1_000;

  private static final String UNIQUE_VIOLATION = "23505";

  // For a single message without special values, the common case: no arrays to build and take
  // apart, and omitted columns get the table's defaults. Every value that is named costs client and
  // server time.
  private static final Sql APPEND_PLAIN =
      Sql.of(
          "add",
          """
          INSERT INTO posthorn_log
                 (id, type, aggregate_type, key, payload, occurred_at)
          VALUES (:id, :type, :aggregateType, :key, :payload, :occurredAt)
          """);

  private static final Sql APPEND_ONE =
      Sql.of(
          "add one",
          """
          INSERT INTO posthorn_log
                 (id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                  occurred_at, not_before)
          VALUES (:id, :type, :schemaVersion, :aggregateType, :key, :payload, :contentType,
                  CAST(:headers AS jsonb), :cipherKey, :occurredAt, CAST(:notBefore AS timestamptz))
          """);

  private static final Sql APPEND =
      Sql.of(
          "add many",
          """
          INSERT INTO posthorn_log
                 (id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                  occurred_at, not_before)
          SELECT m.id, m.type, m.schema_version, m.aggregate_type, m.key, m.payload, m.content_type,
                 CAST(m.headers AS jsonb), nullif(m.cipher_key, ''), CAST(m.occurred_at AS timestamptz),
                 CAST(m.not_before AS timestamptz)
            FROM unnest(CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:schemaVersions AS int[]),
                        CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:payloads AS bytea[]),
                        CAST(:contentTypes AS text[]), CAST(:headers AS text[]), CAST(:cipherKeys AS text[]),
                        CAST(:occurredAts AS text[]), CAST(:notBefores AS text[]))
                   WITH ORDINALITY
                   AS m (id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                         occurred_at, not_before, n)
           ORDER BY m.n
          """);

  // One statement for both inserts, so that it fails as a whole if an id was given before.
  private static final Sql APPEND_GIVEN =
      Sql.of(
          "add with given ids",
          """
          WITH given AS (
            INSERT INTO posthorn_given_id (id)
            SELECT g.id
              FROM unnest(CAST(:givenIds AS uuid[])) AS g (id)
             ORDER BY g.id
          )
          INSERT INTO posthorn_log
                 (id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                  occurred_at, not_before)
          SELECT m.id, m.type, m.schema_version, m.aggregate_type, m.key, m.payload, m.content_type,
                 CAST(m.headers AS jsonb), nullif(m.cipher_key, ''), CAST(m.occurred_at AS timestamptz),
                 CAST(m.not_before AS timestamptz)
            FROM unnest(CAST(:ids AS uuid[]), CAST(:types AS text[]), CAST(:schemaVersions AS int[]),
                        CAST(:aggregateTypes AS text[]), CAST(:keys AS text[]), CAST(:payloads AS bytea[]),
                        CAST(:contentTypes AS text[]), CAST(:headers AS text[]), CAST(:cipherKeys AS text[]),
                        CAST(:occurredAts AS text[]), CAST(:notBefores AS text[]))
                   WITH ORDINALITY
                   AS m (id, type, schema_version, aggregate_type, key, payload, content_type, headers, cipher_key,
                         occurred_at, not_before, n)
           ORDER BY m.n
          """);

  private static final Sql LOCK_KEYS =
      Sql.of("lock keys", "SELECT posthorn_lock_keys(CAST(:keys AS text[]))");

  private static final Sql NOTE =
      Sql.of(
          "note id",
          """
          INSERT INTO posthorn_noted_id (id)
          VALUES (:id)
              ON CONFLICT DO NOTHING
          """);

  private final TableNames tables;

  public Appender(TableNames tables) {
    this.tables = tables;
  }

  public void append(
      Connection tx, List<Message> messages, List<String> cipherKeys, boolean ordered) {
    if (messages.isEmpty()) {
      return;
    }
    try {
      if (ordered) {
        lockKeys(tx, messages);
      }
      if (messages.size() == 1 && !messages.get(0).idGiven()) {
        appendOne(tx, messages.get(0), cipherKeys.get(0));
        return;
      }
      List<UUID> given = messages.stream().filter(Message::idGiven).map(Message::id).toList();
      if (!given.isEmpty()) {
        appendGiven(tx, messages, cipherKeys, given);
      } else {
        try (Query query = new Query(tx, tables, Settings.NONE, APPEND)) {
          set(query, messages, cipherKeys).update();
        }
      }
    } catch (SQLException e) {
      throw SqlFailures.translateInTransaction("adding " + named(messages), e);
    }
  }

  public boolean note(Connection tx, UUID id) {
    try (Query query = new Query(tx, tables, Settings.NONE, NOTE)) {
      return query.set("id", id).update() == 1;
    } catch (SQLException e) {
      throw SqlFailures.translateInTransaction("noting the transaction's id " + id, e);
    }
  }

  private void appendOne(Connection tx, Message message, String cipherKey) throws SQLException {
    boolean plain = isPlain(message, cipherKey);
    try (Query query = new Query(tx, tables, Settings.NONE, plain ? APPEND_PLAIN : APPEND_ONE)) {
      Key key = message.key();
      query
          .set("id", message.id())
          .set("type", message.type())
          .set("aggregateType", key == null ? null : key.aggregateType())
          .set("key", key == null ? null : key.id())
          .set("payload", message.payload())
          .set("occurredAt", message.occurredAt());
      if (!plain) {
        query
            .set("schemaVersion", message.schemaVersion())
            .set("contentType", message.contentType())
            .set("headers", HeadersJson.write(message.headers()))
            .set("cipherKey", cipherKey.isEmpty() ? null : cipherKey)
            .set("notBefore", message.notBefore());
      }
      query.update();
    }
  }

  /** Whether every value that {@link #APPEND_PLAIN} omits equals the table's default. */
  private static boolean isPlain(Message message, String cipherKey) {
    return message.schemaVersion() == 1
        && message.contentType().equals(Message.JSON)
        && message.headers().isEmpty()
        && cipherKey.isEmpty()
        && message.notBefore() == null;
  }

  private void appendGiven(
      Connection tx, List<Message> messages, List<String> cipherKeys, List<UUID> given)
      throws SQLException {
    try (Query query = new Query(tx, tables, Settings.NONE, APPEND_GIVEN)) {
      set(query, messages, cipherKeys).setUuids("givenIds", given).update();
    } catch (SQLException e) {
      if (!UNIQUE_VIOLATION.equals(e.getSQLState())) {
        throw e;
      }
      throw new PosthornException(
          ErrorCode.DUPLICATE_ID,
          "%s was not added: a message with the given id%s was added before. If this transaction is a repetition, roll it back: the first one was committed. If not, choose another id."
              .formatted(
                  named(messages), given.size() == 1 ? " " + given.get(0) : ", or one of them,"),
          e);
    }
  }

  private void lockKeys(Connection tx, List<Message> messages) throws SQLException {
    Set<String> keys = new LinkedHashSet<>();
    for (Message message : messages) {
      Key key = message.key();
      if (key != null) {
        keys.add(key.aggregateType() + "/" + key.id());
      }
    }
    if (keys.isEmpty()) {
      return;
    }
    int locked;
    try (Query query = new Query(tx, tables, Settings.NONE, LOCK_KEYS)) {
      locked = Objects.requireNonNull(query.setTexts("keys", keys).first(row -> row.getInt(1)));
    }
    if (locked > MOST_ORDERED_KEYS) {
      throw new PosthornException(
          ErrorCode.TOO_MANY_ORDERED_KEYS,
          "%s not added: the transaction would lock %,d different keys and the limit is %,d, because all transactions share the server's lock table. Split the transaction, or lock the aggregates yourself and use add."
              .formatted(
                  named(messages) + (messages.size() == 1 ? " was" : " were"),
                  locked,
                  MOST_ORDERED_KEYS));
    }
  }

  private static Query set(Query query, List<Message> messages, List<String> cipherKeys)
      throws SQLException {
    int size = messages.size();
    UUID[] ids = new UUID[size];
    String[] types = new String[size];
    Integer[] schemaVersions = new Integer[size];
    @Nullable String[] aggregateTypes = new String[size];
    @Nullable String[] keys = new String[size];
    byte[][] payloads = new byte[size][];
    String[] contentTypes = new String[size];
    String[] headers = new String[size];
    String[] occurredAts = new String[size];
    @Nullable String[] notBefores = new String[size];
    for (int i = 0; i < size; i++) {
      Message message = messages.get(i);
      Key key = message.key();
      ids[i] = message.id();
      types[i] = message.type();
      schemaVersions[i] = message.schemaVersion();
      aggregateTypes[i] = key == null ? null : key.aggregateType();
      keys[i] = key == null ? null : key.id();
      payloads[i] = message.payload();
      contentTypes[i] = message.contentType();
      headers[i] = HeadersJson.write(message.headers());
      occurredAts[i] = text(message.occurredAt());
      Instant notBefore = message.notBefore();
      notBefores[i] = notBefore == null ? null : text(notBefore);
    }
    return query
        .setArray("ids", "uuid", ids)
        .setArray("types", "text", types)
        .setArray("schemaVersions", "int4", schemaVersions)
        .setArray("aggregateTypes", "text", aggregateTypes)
        .setArray("keys", "text", keys)
        .setArray("payloads", "bytea", payloads)
        .setArray("contentTypes", "text", contentTypes)
        .setArray("headers", "text", headers)
        .setTexts("cipherKeys", cipherKeys)
        .setArray("occurredAts", "text", occurredAts)
        .setArray("notBefores", "text", notBefores);
  }

  private static String text(Instant instant) {
    return instant.atOffset(ZoneOffset.UTC).toString();
  }

  private static String named(List<Message> messages) {
    Message first = messages.get(0);
    return messages.size() == 1
        ? "message '" + first.type() + "' (" + first.id() + ")"
        : "the messages '"
            + first.type()
            + "' ("
            + first.id()
            + ") and "
            + (messages.size() - 1)
            + " more";
  }
}
