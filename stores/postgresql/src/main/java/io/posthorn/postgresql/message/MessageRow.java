package io.posthorn.postgresql.message;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns a row into a delivery. It reads columns by position and times as microseconds, because it
 * runs once for every message. The columns are those of {@code LogReader} and {@code ParkedReader}.
 */
public final class MessageRow {
  private static final byte[] MISSING = {};

  private MessageRow() {}

  public static Delivery fromLog(ResultSet row) throws SQLException {
    return new Delivery(
        message(row),
        row.getLong(1),
        Times.instant(row.getLong(12)),
        0,
        Duration.ZERO,
        false,
        row.getString(10));
  }

  /**
   * A message of the log, and the size of its payload and headers.
   *
   * @param contentIsMissing whether the row left the content out because it is too large
   */
  public record Sized(Delivery delivery, long bytes, boolean contentIsMissing) {}

  public static Sized sizedFromLog(ResultSet row) throws SQLException {
    try {
      return new Sized(fromLog(row), row.getLong(14), row.getString(9) == null);
    } catch (RuntimeException e) {
      throw notUnderstood(e);
    }
  }

  /**
   * Translates values that no message can have into an error of the row, like values that the
   * database cannot read.
   */
  private static SQLException notUnderstood(RuntimeException e) {
    return new SQLDataException("a row is not a message: " + Sanitiser.text(e), "22000", e);
  }

  public static Delivery fromParked(ResultSet row) throws SQLException {
    try {
      return parked(row);
    } catch (RuntimeException e) {
      throw notUnderstood(e);
    }
  }

  private static Delivery parked(ResultSet row) throws SQLException {
    return new Delivery(
        message(row).withSequence(row.getLong(22)),
        row.getLong(1),
        Times.instant(row.getLong(12)),
        row.getInt(14),
        Duration.ofSeconds(row.getLong(15)),
        true,
        row.getString(10),
        row.getInt(16),
        row.getBoolean(17),
        Duration.ofMillis(row.getLong(19)),
        Duration.ofMillis(row.getLong(20)),
        row.getString(21));
  }

  private static Message message(ResultSet row) throws SQLException {
    byte[] payload = row.getBytes(7);
    long notBefore = row.getLong(13);
    boolean scheduled = !row.wasNull();
    return new Message(
        row.getObject(2, UUID.class),
        false,
        row.getString(3),
        row.getInt(4),
        key(row.getString(5), row.getString(6)),
        payload == null ? MISSING : payload,
        row.getString(8),
        headers(row.getString(9)),
        Times.instant(row.getLong(11)),
        scheduled ? Times.instant(notBefore) : null,
        row.getLong(1));
  }

  static Map<String, String> headers(@Nullable String json) {
    return json == null ? Map.of() : HeadersJson.read(json);
  }

  public static @Nullable Key key(ResultSet row) throws SQLException {
    return key(row.getString("aggregate_type"), row.getString("key"));
  }

  /**
   * Returns the key of a row. The id decides: an application's own INSERT may omit the aggregate
   * type.
   */
  public static @Nullable Key key(@Nullable String aggregateType, @Nullable String key) {
    return key == null ? null : new Key(Objects.requireNonNullElse(aggregateType, ""), key);
  }
}
