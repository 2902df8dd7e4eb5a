package io.posthorn.postgresql.schema;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whose database this is: the environment and server it was last known on, and the server it is on.
 * Who changes that takes everything away from the relays, so that each comes in anew and looks.
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
                 token = NULL
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

  /** Retention, registration, removal and whoever changes the names wait for each other. */
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

  /** No token is good any more, and no lease. */
  public static void endLeases(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(RELEASE, DISMISS, FORGET_BREAKERS, FORGET_CHECKS)) {
      query.update();
    }
  }

  /** It is the one of this environment, on this server. */
  public static void rename(Database.Tx tx, String environment) throws SQLException {
    try (Query query = tx.query(RENAME)) {
      query.set("environment", environment).update();
    }
  }

  /** The server it comes from stays known. */
  public static void fence(Database.Tx tx, String environment) throws SQLException {
    try (Query query = tx.query(FENCE)) {
      query.set("environment", environment).update();
    }
  }
}
