package io.posthorn.server.database;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.relay.Destination;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.server.file.DatabaseSettings;
import io.posthorn.server.file.FileConnectors;
import io.posthorn.server.file.ServerFile;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Tries everything that the file names, without delivering: {@code posthorn server --check}. */
public final class DatabaseCheck {
  // The doctor reports more; these findings have the name of the relay's own refusal.
  private static final Set<String> KEEP_FROM_STARTING =
      Arrays.stream(ErrorCode.values()).map(ErrorCode::name).collect(Collectors.toSet());

  private final List<Result> results = new ArrayList<>();
  private final ServerFile file;

  private DatabaseCheck(ServerFile file) {
    this.file = file;
  }

  /**
   * What came of one try.
   *
   * @param destination empty for the database itself
   */
  public record Result(String database, String destination, boolean good, String text) {}

  /** Tries each database, and each of its destinations. Changes nothing. */
  public static List<Result> of(ServerFile file) {
    DatabaseCheck check = new DatabaseCheck(file);
    for (Map.Entry<String, DatabaseSettings> database : file.databases().entrySet()) {
      check.database(database.getKey(), database.getValue());
    }
    return check.results;
  }

  private void database(String name, DatabaseSettings database) {
    DataSource source = Pools.source(database);
    try (Connection connection = source.getConnection()) {
      String version = "PostgreSQL " + connection.getMetaData().getDatabaseProductVersion();
      List<Diagnosis> faults = faults(database, source);
      add(
          name,
          "",
          faults.isEmpty(),
          faults.isEmpty()
              ? version
              : faults.stream()
                  .map(fault -> "%s: %s; %s".formatted(fault.code(), fault.found(), fault.todo()))
                  .collect(Collectors.joining("; ")));
    } catch (SQLException | RuntimeException e) {
      add(name, "", false, textOf(e));
    }
    for (Destination destination : FileConnectors.of(database, file).destinations()) {
      destination(name, destination);
    }
  }

  /**
   * What would keep the relay from starting. The relay itself is not asked: it would write its
   * environment into a new database.
   */
  private List<Diagnosis> faults(DatabaseSettings database, DataSource source) {
    RetentionTimes times = new RetentionTimes(file.retention().sent(), file.retention().dead());
    Examination examination = new Examination(file.environment(), times, Map.of());
    return PostgresqlStore.on(source, database.tables()).examine(examination).stream()
        .filter(one -> one.severity() == Severity.FAULT)
        .filter(one -> KEEP_FROM_STARTING.contains(one.code()))
        .filter(one -> !(database.migrate() && one.code().equals(ErrorCode.TABLES_MISSING.name())))
        .toList();
  }

  private void destination(String database, Destination destination) {
    try {
      List<Finding> found = destination.check();
      boolean good = found.stream().noneMatch(Finding::problem);
      String text =
          found.stream()
              .filter(one -> good || one.problem())
              .map(Finding::toString)
              .reduce((one, other) -> one + "; " + other)
              .orElse("this connector has no check");
      add(database, destination.name(), good, text);
    } catch (RuntimeException e) {
      add(database, destination.name(), false, textOf(e));
    } finally {
      destination.close();
    }
  }

  private void add(String database, String destination, boolean good, String text) {
    results.add(new Result(database, destination, good, text));
  }

  private static String textOf(Exception e) {
    String text = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    return Sanitiser.clean(text.lines().findFirst().orElse(text));
  }
}
