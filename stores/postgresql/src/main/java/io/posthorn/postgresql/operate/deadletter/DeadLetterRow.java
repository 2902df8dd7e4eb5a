package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.postgresql.message.MessageRow;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Maps a row to a dead letter, reading columns by name. */
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
        Times.instant(row, "created_at"),
        Times.instant(row, "first_failed_at"),
        Times.instant(row, "last_failed_at"),
        row.getString("fingerprint"),
        row.getInt("payload_bytes"),
        Times.nullable(row, "requeued_at"),
        row.getObject("requeued_as", UUID.class),
        outcome == null ? null : DeadLetter.Outcome.valueOf(outcome),
        Times.nullable(row, "outcome_at"));
  }
}
