package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Action;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.postgresql.message.HeadersJson;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Maps a row to an operation, reading columns by name. */
final class OperationRow {
  private OperationRow() {}

  static Operation operation(ResultSet row) throws SQLException {
    return new Operation(
        row.getObject("id", UUID.class),
        plan(row),
        Operation.State.valueOf(row.getString("state")),
        by(row),
        Times.instant(row, "created_at"),
        Times.nullable(row, "ended_at"),
        row.getLong("total"),
        row.getLong("done"),
        row.getLong("refused"),
        row.getLong("sent"),
        row.getLong("died"),
        row.getLong("retrying"),
        row.getString("note"));
  }

  static Plan plan(ResultSet row) throws SQLException {
    double rate = row.getDouble("rate_per_second");
    @Nullable Double ratePerSecond = row.wasNull() ? null : rate;
    return new Plan(
        Action.valueOf(row.getString("action")),
        HeadersJson.read(row.getString("selection")),
        row.getInt("canary"),
        ratePerSecond,
        row.getDouble("stop_at"));
  }

  static Actor by(ResultSet row) throws SQLException {
    return new Actor(row.getString("who"), row.getString("why"));
  }
}
