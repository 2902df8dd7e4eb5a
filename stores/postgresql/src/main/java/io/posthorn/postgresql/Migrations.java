package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.postgresql.schema.FindingIndexes;
import io.posthorn.postgresql.schema.Preflight;
import io.posthorn.postgresql.sql.Database;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * The numbered migrations of the tables. Each one is a transaction and records itself in {@code
 * posthorn_migration}, so you can run them with {@link #migrate}, or print them and run them with
 * Flyway or Liquibase.
 */
public final class Migrations {
  /** One migration. {@code sql} contains the schema and prefix of the installation. */
  public record Migration(int version, String name, String sql) {
    /** Returns the file name that Flyway expects. */
    public String fileName() {
      return "V" + version + "__posthorn_" + name + ".sql";
    }
  }

  /** The version of the tables that this code works with. */
  public static final int VERSION = Preflight.TABLES_VERSION;

  private static final List<String> NAMES = List.of("outbox");

  private static final String FINDING = "; -- finding";

  private final Tables tables;
  private final List<Migration> all;

  public Migrations(Tables tables) {
    this(tables, shipped(tables, true));
  }

  /** Creates migrations from a given list, for tests of future ones. */
  Migrations(Tables tables, List<Migration> all) {
    this.tables = tables;
    this.all = List.copyOf(all);
  }

  /**
   * Returns the migrations without the two indexes for finding the messages of a key or a
   * correlation id, for writers to whom 4 % matter. Such queries then scan the log. {@link
   * #finding} adds the indexes later.
   */
  public Migrations withoutFinding() {
    return new Migrations(tables, shipped(tables, false));
  }

  /**
   * Returns the statements that add the indexes omitted by {@link #withoutFinding}, leaf by leaf,
   * while writers write. Run each statement by itself, outside a transaction.
   */
  public List<String> finding() {
    return FindingIndexes.statements(tables.names());
  }

  private static List<Migration> shipped(Tables tables, boolean finding) {
    List<Migration> migrations = new ArrayList<>();
    for (int i = 0; i < NAMES.size(); i++) {
      int version = i + 1;
      String name = NAMES.get(i);
      String sql = read(version, name);
      migrations.add(
          new Migration(version, name, tables.names().in(finding ? sql : withoutFinding(sql))));
    }
    return migrations;
  }

  public List<Migration> all() {
    return all;
  }

  /**
   * Applies the missing migrations, one transaction each. Returns the migrations that it applied.
   */
  public List<Migration> migrate(DataSource dataSource) {
    List<Migration> applied = new ArrayList<>();
    Database database = new Database(dataSource, tables.names());
    for (Migration migration : all) {
      boolean missing =
          database.transaction(
              "migrating Posthorn's tables",
              tx -> {
                Preflight.refuseEncoding(tx);
                return apply(tx.connection(), migration);
              });
      if (missing) {
        applied.add(migration);
      }
    }
    return applied;
  }

  private boolean apply(Connection connection, Migration migration) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      // If two programs migrate at the same time, the second waits here and then finds the work
      // done.
      statement.execute("SELECT pg_advisory_xact_lock(1349350516, 0)");
      if (version(connection) >= migration.version()) {
        return false;
      }
      // Creating a schema needs a right that filling it does not need.
      if (!exists(statement, "to_regnamespace", tables.schema())) {
        statement.execute("CREATE SCHEMA " + tables.schema());
      }
      statement.execute(migration.sql());
      return true;
    }
  }

  private static boolean exists(Statement statement, String function, String name)
      throws SQLException {
    try (var found =
        statement.executeQuery("SELECT " + function + "('" + name + "') IS NOT NULL")) {
      found.next();
      return found.getBoolean(1);
    }
  }

  /** Returns the version of the tables in this database, or 0 if there are none. */
  int version(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      String table = tables.names().in("posthorn_migration");
      if (!exists(statement, "to_regclass", table)) {
        return 0;
      }
      try (var found = statement.executeQuery("SELECT coalesce(max(version), 0) FROM " + table)) {
        found.next();
        return found.getInt(1);
      }
    }
  }

  private static String withoutFinding(String sql) {
    return sql.lines()
        .filter(line -> !line.endsWith(FINDING))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String read(int version, String name) {
    String file = "migrations/V" + version + "__" + name + ".sql";
    try (InputStream in = Migrations.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new PosthornException(
            ErrorCode.RESOURCE_MISSING,
            "the tables were not migrated: %s is missing from the jar. Use the jar as it was built."
                .formatted(file));
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new PosthornException(
          ErrorCode.RESOURCE_MISSING,
          "the tables were not migrated: %s could not be read from the jar. Use the jar as it was built."
              .formatted(file),
          e);
    }
  }
}
