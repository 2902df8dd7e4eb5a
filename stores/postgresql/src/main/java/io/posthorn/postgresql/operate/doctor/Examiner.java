package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.schema.Preflight;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs all checks of the doctor. Each check runs by itself: if this role may not run one, that is
 * reported as a finding, and the others run all the same.
 */
public final class Examiner {
  /** A transaction that is open for longer than this is reported. */
  static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final Sql EXISTS =
      Sql.of("look for tables", "SELECT to_regclass('posthorn_migration') IS NOT NULL");

  private final Database database;
  private final Clock clock;
  private final Duration patience;
  private final List<Diagnosis> found = new ArrayList<>();

  public Examiner(Database database) {
    this(database, Clock.systemUTC(), PATIENCE);
  }

  /**
   * For tests.
   *
   * @param clock the clock of this machine
   * @param patience a transaction that is open for longer than this is reported
   */
  Examiner(Database database, Clock clock, Duration patience) {
    this.database = database;
    this.clock = clock;
    this.patience = patience;
  }

  /** One check, or several that share a statement. */
  @FunctionalInterface
  interface Exam extends Database.Work<List<Diagnosis>> {}

  public List<Diagnosis> examine(Examination how) {
    boolean tables =
        database.asks(
            "finding Posthorn's tables",
            tx -> {
              try (Query query = tx.query(EXISTS)) {
                return Boolean.TRUE.equals(query.first(row -> row.getBoolean(1)));
              }
            });
    look(
        "the server",
        tx -> List.of(Preflight.standby(tx), Preflight.serverVersion(tx), Preflight.encoding(tx)));
    look("the server's settings", SettingsExam::look);
    look("connections", ServerExam::connections);
    look("the clock", tx -> List.of(ServerExam.clock(tx, clock)));
    look("standbys", tx -> List.of(ServerExam.standbys(tx)));
    look("a pooler", tx -> List.of(ServerExam.pooler(tx, database)));
    look("open transactions", tx -> TransactionsExam.open(tx, patience));
    look("prepared transactions", tx -> TransactionsExam.prepared(tx, patience));
    look("replication slots", TransactionsExam::slots);
    if (tables) {
      lookAtTables(how);
    } else {
      found.add(
          DoctorCheck.TABLES_MISSING.fault(
              "this database has no tables named '%s…'"
                  .formatted(database.tables().in("posthorn_x").replaceFirst("x$", ""))));
    }
    return found.stream().sorted(Diagnosis.WORST_FIRST).toList();
  }

  private void lookAtTables(Examination how) {
    look("the tables' version", tx -> List.of(Preflight.tablesVersion(tx)));
    look("the sequence", tx -> List.of(Preflight.sequence(tx)));
    look("the environment", tx -> List.of(Preflight.environmentAsItIs(tx, how.environment())));
    look("rights", tx -> RightsExam.look(tx, how.roles()));
    look("leaves", tx -> List.of(TablesExam.leaves(tx)));
    look("indexes", TablesExam::indexes);
    look("vacuum of the tables", TablesExam::vacuum);
    look("cursors", TablesExam::cursors);
    look("relays", RelaysExam::look);
    look("routes", RoutesExam::look);
    look("destinations", tx -> DestinationsExam.look(database));
    look("retention", tx -> RetentionExam.look(tx, how.times()));
  }

  private void look(String what, Exam exam) {
    try {
      found.addAll(database.asks("checking " + what, exam));
    } catch (PosthornException e) {
      found.add(
          DoctorCheck.NOT_LOOKED_AT.warning(
              "%s could not be checked: %s".formatted(what, String.valueOf(e.getMessage()))));
    }
  }
}
