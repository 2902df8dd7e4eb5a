package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.restore.Restore;
import java.sql.SQLException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Looks before a relay starts: is this the right database, and may and can it be relayed from? */
final class Preflight {
  private static final Sql SERVER =
      Sql.of(
          "look at server",
          """
          SELECT pg_is_in_recovery() AS standby,
                 current_database() AS database,
                 current_setting('server_version_num')::int AS version
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

  // The first relay that starts names the environment.
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

  private static final int OLDEST = 150_000;

  private final Database database;

  Preflight(Database database) {
    this.database = database;
  }

  void verify(String environment) {
    database.transaction(
        "checking the database",
        tx -> {
          checkServer(tx);
          checkVersion(tx);
          checkSequence(tx);
          checkEnvironment(tx, environment);
          return true;
        });
  }

  private static void checkServer(Database.Tx tx) throws SQLException {
    record Server(boolean standby, @Nullable String database, int version) {}
    Server server;
    try (Query query = tx.query(SERVER)) {
      server =
          Objects.requireNonNull(
              query.first(row -> new Server(row.getBoolean(1), row.getString(2), row.getInt(3))));
    }
    if (server.standby) {
      throw new PosthornException(
          ErrorCode.STANDBY,
          "the relay was not started: database '%s' is a standby, where nothing can be settled. Connect to the primary (targetServerType=primary)."
              .formatted(server.database));
    }
    if (server.version < OLDEST) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the relay was not started: the server has version %d and Posthorn needs PostgreSQL 15 or newer. Upgrade the server."
              .formatted(server.version / 10_000));
    }
  }

  private static void checkVersion(Database.Tx tx) throws SQLException {
    int version;
    try (Query query = tx.query(VERSION)) {
      version = Objects.requireNonNull(query.first(row -> row.getInt(1)));
    }
    if (version != Migrations.VERSION) {
      throw new PosthornException(
          ErrorCode.TABLES_OF_ANOTHER_VERSION,
          "the relay was not started: the tables have version %d and this Posthorn works with version %d. %s"
              .formatted(
                  version,
                  Migrations.VERSION,
                  version < Migrations.VERSION
                      ? "Run 'posthorn schema migrate'."
                      : "Use the newer Posthorn that migrated them."));
    }
  }

  private static void checkSequence(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(CACHE)) {
      Long cache = query.first(row -> row.getLong(1));
      if (cache != null && cache != 1) {
        throw new PosthornException(
            ErrorCode.SEQUENCE_CACHED,
            "the relay was not started: the sequence of the log has CACHE %d, so numbers are used in another order than they are drawn and messages would be lost. Run ALTER SEQUENCE … CACHE 1, then let every writer reconnect."
                .formatted(cache));
      }
    }
  }

  private static void checkEnvironment(Database.Tx tx, String environment) throws SQLException {
    record Names(@Nullable String environment, long stored, long actual) {}
    Names names;
    try (Query query = tx.query(NAME)) {
      names =
          Objects.requireNonNull(
              query
                  .set("environment", environment)
                  .first(row -> new Names(row.getString(1), row.getLong(2), row.getLong(3))));
    }
    if (String.valueOf(names.environment).startsWith(Restore.FENCED)) {
      throw new PosthornException(
          ErrorCode.ENVIRONMENT_DIFFERS,
          "the relay was not started: this database is fenced ('%s'), so that nobody sends from it; 'posthorn audit list' tells who did it and why. Decide what was delivered, then run 'posthorn adopt --environment %s'."
              .formatted(names.environment, environment));
    }
    if (!environment.equals(names.environment)) {
      throw new PosthornException(
          ErrorCode.ENVIRONMENT_DIFFERS,
          "the relay was not started: this database belongs to environment '%s' and the relay is configured for '%s'. Correct the configuration; or, if this is a copy, whose messages were or will be sent by the original, run 'posthorn adopt --environment %s'."
              .formatted(names.environment, environment, environment));
    }
    if (names.stored != names.actual) {
      throw new PosthornException(
          ErrorCode.ENVIRONMENT_DIFFERS,
          "the relay was not started: the tables come from server %d and this is server %d, so it is a restored or copied database whose cursors do not fit. Run 'posthorn adopt --environment %s'; only if its transaction ids go on where they were (pg_upgrade), with --same-history."
              .formatted(names.stored, names.actual, environment));
    }
  }
}
