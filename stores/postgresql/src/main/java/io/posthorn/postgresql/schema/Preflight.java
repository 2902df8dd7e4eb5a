package io.posthorn.postgresql.schema;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.restore.Restore;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Checks before a relay starts that this is the right database and that it can be relayed from. The
 * doctor checks the same, and more.
 */
public final class Preflight {
  private static final Sql SERVER =
      Sql.of(
          "look at server",
          """
          SELECT pg_is_in_recovery() AS standby,
                 current_database() AS database,
                 current_setting('server_version_num')::int AS version,
                 current_setting('server_encoding') AS encoding
          """);

  private static final Sql VERSION =
      Sql.of("read version", "SELECT coalesce(max(version), 0) FROM posthorn_migration");

  private static final Sql CACHE =
      Sql.of(
          "read sequence cache",
          """
          SELECT seqcache
            FROM pg_sequence
           WHERE seqrelid = to_regclass('posthorn_seq')
          """);

  // The first relay that starts sets the environment.
  private static final Sql NAME =
      Sql.of(
          "name environment",
          """
          UPDATE posthorn_meta
             SET environment = coalesce(environment, :environment),
                 system_identifier = coalesce(system_identifier, (SELECT system_identifier FROM pg_control_system()))
          RETURNING environment,
                    system_identifier,
                    (SELECT system_identifier FROM pg_control_system()) AS actual
          """);

  private static final Sql READ_NAME =
      Sql.of(
          "read environment",
          """
          SELECT environment,
                 system_identifier,
                 (SELECT system_identifier FROM pg_control_system()) AS actual
            FROM posthorn_meta
          """);

  /** The version of the tables that this code works with. */
  public static final int TABLES_VERSION = 1;

  private static final int OLDEST = 150_000;

  private final Database database;

  public Preflight(Database database) {
    this.database = database;
  }

  public void verify(String environment) {
    database.transaction(
        "checking the database",
        tx -> {
          refuseIf(ErrorCode.STANDBY, standby(tx));
          refuseIf(ErrorCode.UNSUITABLE_SERVER, serverVersion(tx));
          refuseIf(ErrorCode.UNSUITABLE_SERVER, encoding(tx));
          refuseIf(ErrorCode.TABLES_OF_ANOTHER_VERSION, tablesVersion(tx));
          refuseIf(ErrorCode.SEQUENCE_CACHED, sequence(tx));
          try (Query query = tx.query(NAME)) {
            Origin origin =
                Objects.requireNonNull(
                    query.set("environment", environment).first(Preflight::origin));
            refuseIf(ErrorCode.ENVIRONMENT_DIFFERS, environment(origin, environment));
          }
          return true;
        });
  }

  private static void refuseIf(ErrorCode code, Diagnosis found) {
    if (found.severity() == Severity.FAULT) {
      throw refused(code, "the relay was not started", found);
    }
  }

  private static PosthornException refused(ErrorCode code, String what, Diagnosis found) {
    return new PosthornException(
        code,
        "%s: %s. %s. %s."
            .formatted(what, found.found(), sentence(found.why()), sentence(found.todo())));
  }

  private static String sentence(String text) {
    return Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  public static Diagnosis standby(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(SERVER)) {
      return Objects.requireNonNull(
          query.first(
              row ->
                  row.getBoolean("standby")
                      ? DoctorCheck.STANDBY.fault(
                          "database '%s' is a standby".formatted(row.getString("database")))
                      : DoctorCheck.STANDBY.ok(
                          "database '%s' is on a primary".formatted(row.getString("database")))));
    }
  }

  public static Diagnosis serverVersion(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(SERVER)) {
      int version = Objects.requireNonNull(query.first(row -> row.getInt("version")));
      String found = "the server is PostgreSQL %d.%d".formatted(version / 10_000, version % 10_000);
      return version < OLDEST
          ? DoctorCheck.SERVER_VERSION.fault(found)
          : DoctorCheck.SERVER_VERSION.ok(found);
    }
  }

  /** Every other encoding lacks characters that messages and errors may contain. */
  public static Diagnosis encoding(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(SERVER)) {
      return Objects.requireNonNull(
          query.first(
              row -> {
                String encoding = row.getString("encoding");
                String found =
                    "database '%s' has the encoding %s"
                        .formatted(row.getString("database"), encoding);
                return encoding.equals("UTF8")
                    ? DoctorCheck.ENCODING.ok(found)
                    : DoctorCheck.ENCODING.fault(found, row.getString("database"));
              }));
    }
  }

  /** Refuses to create tables in a database whose encoding they cannot use. */
  public static void refuseEncoding(Database.Tx tx) throws SQLException {
    Diagnosis found = encoding(tx);
    if (found.severity() == Severity.FAULT) {
      throw refused(ErrorCode.UNSUITABLE_SERVER, "the tables were not migrated", found);
    }
  }

  public static Diagnosis tablesVersion(Database.Tx tx) throws SQLException {
    int version;
    try (Query query = tx.query(VERSION)) {
      version = Objects.requireNonNull(query.first(row -> row.getInt(1)));
    }
    String found = "the tables have version " + version;
    return version == TABLES_VERSION
        ? DoctorCheck.TABLES_OF_ANOTHER_VERSION.ok(found)
        : DoctorCheck.TABLES_OF_ANOTHER_VERSION.fault(
            found,
            TABLES_VERSION,
            version < TABLES_VERSION
                ? "run 'posthorn schema migrate'"
                : "use the newer Posthorn that migrated them");
  }

  /**
   * Refuses a sequence with a cache: where a cursor begins, no session may hold numbers that it
   * uses later.
   */
  public static void refuseCachedSequence(Database.Tx tx, String what) throws SQLException {
    Diagnosis found = sequence(tx);
    if (found.severity() == Severity.FAULT) {
      throw refused(ErrorCode.SEQUENCE_CACHED, what, found);
    }
  }

  public static Diagnosis sequence(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(CACHE)) {
      Long cache = query.first(row -> row.getLong(1));
      String found = "the sequence of the log has CACHE " + (cache == null ? 1 : cache);
      return cache == null || cache == 1
          ? DoctorCheck.SEQUENCE_CACHED.ok(found)
          : DoctorCheck.SEQUENCE_CACHED.fault(found, tx.tables().in("posthorn_seq"));
    }
  }

  /** Which environment and server the database belongs to, and the server it is on. */
  private record Origin(@Nullable String environment, long stored, long actual) {}

  private static Origin origin(ResultSet row) throws SQLException {
    return new Origin(row.getString(1), row.getLong(2), row.getLong(3));
  }

  /**
   * Checks the environment without setting it. If no environment is expected, it checks the server
   * only.
   */
  public static Diagnosis environmentAsItIs(Database.Tx tx, @Nullable String expected)
      throws SQLException {
    try (Query query = tx.query(READ_NAME)) {
      Origin origin = Objects.requireNonNull(query.first(Preflight::origin));
      if (origin.environment == null) {
        return DoctorCheck.ENVIRONMENT_DIFFERS.ok("no relay has started here yet");
      }
      return environment(origin, expected == null ? origin.environment : expected);
    }
  }

  private static Diagnosis environment(Origin origin, String expected) {
    boolean fenced = String.valueOf(origin.environment).startsWith(Restore.FENCED);
    String adopt =
        "run 'posthorn adopt --environment %s %%s --why TEXT'"
            .formatted(expected.startsWith(Restore.FENCED) ? "NAME" : expected);
    String nothing = adopt.formatted("--as-sent") + ", which sends no earlier message";
    if (fenced) {
      return DoctorCheck.ENVIRONMENT_DIFFERS.fault(
          "this database is fenced ('%s'), so that no relay sends from it; 'posthorn audit list' shows who fenced it and why"
              .formatted(origin.environment),
          "if it is a copy, %s; if it was fenced by mistake, %s, which changes nothing else (for other cases see docs/guide/restore.md)"
              .formatted(nothing, adopt.formatted("--same-history")));
    }
    if (!expected.equals(origin.environment)) {
      return DoctorCheck.ENVIRONMENT_DIFFERS.fault(
          "this database belongs to environment '%s' and the relay is configured for '%s'"
              .formatted(origin.environment, expected),
          "correct the configuration; or, if this is a copy whose messages the original has sent or will send, "
              + nothing);
    }
    if (origin.stored != origin.actual) {
      return DoctorCheck.ENVIRONMENT_DIFFERS.fault(
          "the tables come from server %d and this is server %d, so it is a restored or copied database"
              .formatted(origin.stored, origin.actual),
          "if it is a copy and the original still sends, %s; if it replaces the original, %s, which sends what the backup does not know to be delivered; after pg_upgrade, %s (docs/guide/restore.md)"
              .formatted(
                  nothing,
                  adopt.formatted("--send-undelivered"),
                  adopt.formatted("--same-history")));
    }
    return DoctorCheck.ENVIRONMENT_DIFFERS.ok("it belongs to environment '%s'".formatted(expected));
  }
}
