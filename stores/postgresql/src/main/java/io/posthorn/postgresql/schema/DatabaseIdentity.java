package io.posthorn.postgresql.schema;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which environment and server the database belongs to, and the server it is on now. A command that
 * changes this also ends all leases, so that every relay joins again and checks.
 */
public record DatabaseIdentity(
    @Nullable String environment, @Nullable Long server, long actualServer) {
  private static final Sql READ =
      Sql.of(
          "read names",
          """
          SELECT environment,
                 system_identifier,
                 (SELECT system_identifier FROM pg_control_system()) AS actual
            FROM posthorn_meta
          """);

  private static final Sql EXCLUDE =
      Sql.of("exclude others", "SELECT 1 FROM posthorn_meta FOR UPDATE");

  private static final Sql RELAYS =
      Sql.of(
          "read running relays",
          """
          SELECT name
            FROM posthorn_relay
           WHERE expires_at > clock_timestamp()
           ORDER BY name
          """);

  private static final Sql RELEASE =
      Sql.of(
          "release all lanes",
          """
          UPDATE posthorn_lane
             SET relay = NULL,
                 token = NULL,
                 range_token = NULL
          """);

  private static final Sql DISMISS = Sql.of("dismiss relays", "DELETE FROM posthorn_relay");

  private static final Sql FORGET_BREAKERS =
      Sql.of("forget breakers", "DELETE FROM posthorn_breaker");

  private static final Sql FORGET_CHECKS = Sql.of("forget checks", "DELETE FROM posthorn_check");

  private static final Sql RENAME =
      Sql.of(
          "rename environment",
          """
          UPDATE posthorn_meta
             SET environment = :environment,
                 system_identifier = (SELECT system_identifier FROM pg_control_system())
          """);

  private static final Sql FENCE =
      Sql.of("fence environment", "UPDATE posthorn_meta SET environment = :environment");

  public static DatabaseIdentity read(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(READ)) {
      return Objects.requireNonNull(
          query.first(
              row -> {
                long server = row.getLong("system_identifier");
                Long known = row.wasNull() ? null : server;
                return new DatabaseIdentity(
                    row.getString("environment"), known, row.getLong("actual"));
              }));
    }
  }

  /**
   * Locks the single row of {@code posthorn_meta}. Retention, registration, removal and the
   * commands that change the identity wait for each other there.
   */
  public static void exclude(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(EXCLUDE)) {
      query.any();
    }
  }

  public static List<String> relays(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(RELAYS)) {
      return query.rows(row -> row.getString(1));
    }
  }

  /** Ends all leases and invalidates all tokens. */
  public static void endLeases(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(RELEASE, DISMISS, FORGET_BREAKERS, FORGET_CHECKS)) {
      query.update();
    }
  }

  /** Sets the environment, and this server as the database's server. */
  public static void rename(Database.Tx tx, String environment) throws SQLException {
    try (Query query = tx.query(RENAME)) {
      query.set("environment", environment).update();
    }
  }

  /** Sets the environment and leaves the known server as it is. */
  public static void fence(Database.Tx tx, String environment) throws SQLException {
    try (Query query = tx.query(FENCE)) {
      query.set("environment", environment).update();
    }
  }
}
