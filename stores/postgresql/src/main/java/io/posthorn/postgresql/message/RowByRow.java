package io.posthorn.postgresql.message;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.SqlFailures;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads messages one by one, once it is known that one of them cannot be read. That one is returned
 * as {@link Delivery#unreadable}, with the parts that can be read; the others are returned as
 * usual.
 *
 * <p>A row counts as readable if a statement with the columns of an ordinary page can read it. If
 * not, its parts are read one by one.
 */
public final class RowByRow {
  private static final Sql ROW =
      Sql.of(
          "read one row",
          """
          SELECT l.seq, l.id, l.type, l.schema_version, l.aggregate_type, l.key, l.payload,
                 l.content_type, l.headers, l.cipher_key,
                 (date_part('epoch', l.occurred_at) * 1000000)::bigint,
                 (date_part('epoch', l.recorded_at) * 1000000)::bigint,
                 (date_part('epoch', l.not_before) * 1000000)::bigint,
                 posthorn_bytes(l.payload, l.headers)
            FROM posthorn_log l
           WHERE l.seq = :seq
          """);

  private static final Sql NAMES =
      Sql.of(
          "read names of one row",
          """
          SELECT id, type, schema_version, aggregate_type, key, seq, NULL AS attempts
            FROM posthorn_log
           WHERE seq = :seq
          """);

  private static final Sql PAYLOAD =
      Sql.of(
          "read payload of one row",
          """
          SELECT payload, content_type, cipher_key, octet_length(payload)
            FROM posthorn_log
           WHERE seq = :seq
          """);

  private static final Sql HEADERS =
      Sql.of(
          "read headers of one row",
          """
          SELECT headers
            FROM posthorn_log
           WHERE seq = :seq
          """);

  private static final Sql PARKED_NAMES =
      Sql.of(
          "read names of one parked",
          """
          SELECT message_id AS id, type, schema_version, aggregate_type, key, seq, attempts
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

  private static final Sql PARKED_PAYLOAD =
      Sql.of(
          "read payload of one parked",
          """
          SELECT payload, content_type, cipher_key, octet_length(payload)
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

  private static final Sql PARKED_HEADERS =
      Sql.of(
          "read headers of one parked",
          """
          SELECT headers
            FROM posthorn_parked
           WHERE destination = :destination
             AND message_id = :id
          """);

  private static final Logger LOG = LoggerFactory.getLogger(RowByRow.class);

  private RowByRow() {}

  /**
   * Runs the first supplier, or the second if the database refuses the first because of the
   * contents of a row.
   */
  public static <T> T ifRefused(Supplier<T> asUsual, Supplier<T> rowByRow) {
    try {
      return asUsual.get();
    } catch (PosthornException e) {
      if (e.code() != ErrorCode.STORE_REFUSED) {
        throw e;
      }
      LOG.debug("Reading again, row by row: {}", e.getMessage());
      return rowByRow.get();
    }
  }

  /** Sets the parameters that say which row a statement reads. */
  private interface Which {
    void set(Query query) throws SQLException;
  }

  /** The payload of a row and what belongs to it. */
  private static final class Content {
    static final Content NONE = new Content(new byte[0], "application/octet-stream", null);

    final byte[] payload;
    final String contentType;
    final @Nullable String cipherKey;

    Content(byte[] payload, String contentType, @Nullable String cipherKey) {
      this.payload = payload;
      this.contentType = contentType;
      this.cipherKey = cipherKey;
    }
  }

  /**
   * Reads the rows of these numbers, in their order, up to the row that reaches this many bytes.
   * Whole rows are read, so a page must stop here and not when it is assembled.
   */
  public static List<MessageRow.Sized> ofLog(Database.Tx tx, List<Long> seqs, long bytes)
      throws SQLException {
    List<MessageRow.Sized> rows = new ArrayList<>();
    long left = bytes;
    for (long seq : seqs) {
      if (left <= 0) {
        break;
      }
      MessageRow.Sized row = ofLog(tx, seq);
      left -= row.bytes();
      rows.add(row);
    }
    return rows;
  }

  public static MessageRow.Sized ofLog(Database.Tx tx, long seq) throws SQLException {
    Which which = query -> query.set("seq", seq);
    try {
      MessageRow.Sized row = tx.trying(() -> one(tx, ROW, which, MessageRow::sizedFromLog));
      // As with a page: content that is present is complete.
      return new MessageRow.Sized(row.delivery(), row.bytes(), false);
    } catch (SQLException e) {
      refused(e);
      Delivery rest = inParts(tx, which, NAMES, PAYLOAD, HEADERS, false, e);
      return new MessageRow.Sized(rest, rest.message().payload().length, false);
    }
  }

  /**
   * Reads what is readable of a parked message.
   *
   * @param why why the whole message cannot be read
   */
  public static Delivery ofParked(Database.Tx tx, String destination, UUID id, SQLException why)
      throws SQLException {
    Which which = query -> query.set("destination", destination).set("id", id);
    return inParts(tx, which, PARKED_NAMES, PARKED_PAYLOAD, PARKED_HEADERS, true, why);
  }

  /** Returns the dead letter of a message that cannot be delivered. */
  public static Move.Bury burial(Delivery delivery) {
    Reason unreadable = delivery.unreadable();
    Reason reason =
        unreadable == null
            ? Reason.of(
                Reason.STORE_REFUSED, "the database refused to store it as waiting for a route")
            : unreadable;
    return new Move.Bury(delivery, delivery.attempts(), reason, AfterDead.CONTINUE);
  }

  private static Delivery inParts(
      Database.Tx tx,
      Which which,
      Sql names,
      Sql payload,
      Sql headers,
      boolean parked,
      SQLException why)
      throws SQLException {
    List<String> lost = new ArrayList<>();
    Content content = part(tx, payload, which, RowByRow::content, lost, "payload", Content.NONE);
    Map<String, String> read =
        part(
            tx,
            headers,
            which,
            row -> HeadersJson.read(row.getString(1)),
            lost,
            "headers",
            Map.<String, String>of());
    // A message with a missing part cannot be delivered. Its times are not read.
    Map<String, String> marked =
        lost.isEmpty() ? read : Map.of(Headers.UNREADABLE, String.join(" and ", lost));
    Reason reason =
        Reason.of(
            Reason.STORE_REFUSED,
            "its row cannot be read (SQLSTATE %s); %s"
                .formatted(
                    why.getSQLState(),
                    lost.isEmpty()
                        ? "this letter has all but its times"
                        : "this letter lacks its " + String.join(" and ", lost)));
    Delivery delivery = one(tx, names, which, row -> delivery(row, content, marked, parked));
    return delivery.unreadable(reason);
  }

  private static Content content(ResultSet row) throws SQLException {
    return new Content(row.getBytes(1), row.getString(2), row.getString(3));
  }

  private static Delivery delivery(
      ResultSet row, Content content, Map<String, String> headers, boolean parked)
      throws SQLException {
    Key key = MessageRow.key(row);
    Instant now = Instant.EPOCH;
    Message message =
        new Message(
            row.getObject("id", UUID.class),
            false,
            row.getString("type"),
            row.getInt("schema_version"),
            key,
            content.payload,
            content.contentType,
            headers,
            now,
            null,
            row.getLong("seq"));
    return new Delivery(
        message,
        row.getLong("seq"),
        now,
        row.getInt("attempts"),
        Duration.ZERO,
        parked,
        content.cipherKey);
  }

  private static <T> T part(
      Database.Tx tx,
      Sql sql,
      Which which,
      Query.Row<T> mapper,
      List<String> lost,
      String what,
      T none)
      throws SQLException {
    try {
      return tx.trying(() -> one(tx, sql, which, mapper));
    } catch (SQLException e) {
      refused(e);
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      LOG.debug("The {} of a row cannot be understood", what, e);
    }
    lost.add(what);
    return none;
  }

  private static <T> T one(Database.Tx tx, Sql sql, Which which, Query.Row<T> mapper)
      throws SQLException {
    try (Query query = tx.query(sql)) {
      which.set(query);
      T found = query.first(mapper);
      if (found == null) {
        throw new SQLException("the row is gone", "02000");
      }
      return found;
    }
  }

  /** Throws every error that the row does not cause. */
  private static void refused(SQLException e) throws SQLException {
    if (!SqlFailures.isRefusal(e)) {
      throw e;
    }
  }
}
