package io.posthorn.postgresql;

import io.posthorn.core.operate.deadletter.DeadLetter;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns a row into a dead letter; columns are read by name. */
final class DeadLetterRow {
  private DeadLetterRow() {}

  static DeadLetter letter(ResultSet row) throws SQLException {
    String outcome = row.getString("outcome");
    return new DeadLetter(
        row.getObject("id", UUID.class),
        row.getString("destination"),
        row.getObject("message_id", UUID.class),
        row.getString("type"),
        MessageRow.key(row),
        DeadLetter.State.valueOf(row.getString("state")),
        row.getString("reason"),
        row.getString("last_reason"),
        row.getString("error"),
        row.getInt("attempts"),
        instant(row, "created_at"),
        instant(row, "first_failed_at"),
        instant(row, "last_failed_at"),
        row.getString("fingerprint"),
        row.getInt("payload_bytes"),
        nullable(row, "requeued_at"),
        row.getObject("requeued_as", UUID.class),
        outcome == null ? null : DeadLetter.Outcome.valueOf(outcome),
        nullable(row, "outcome_at"));
  }

  static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getTimestamp(column).toInstant();
  }

  static @Nullable Instant nullable(ResultSet row, String column) throws SQLException {
    java.sql.Timestamp time = row.getTimestamp(column);
    return time == null ? null : time.toInstant();
  }
}
