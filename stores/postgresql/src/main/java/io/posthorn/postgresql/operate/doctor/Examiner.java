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
 * Looks whether everything is as delivery needs it. Each thing is looked at by itself: what the
 * role may not see is told as such, and the rest is looked at all the same.
 */
public final class Examiner {
  /** How long a transaction may be open without being mentioned. */
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
   * Made for tests, too.
   *
   * @param clock of this machine
   */
  Examiner(Database database, Clock clock, Duration patience) {
    this.database = database;
    this.clock = clock;
    this.patience = patience;
  }

  /** One thing, or several that are asked for together. */
  @FunctionalInterface
  interface Exam extends Database.Work<List<Diagnosis>> {}

  public List<Diagnosis> examine(Examination how) {
    boolean tables =
        database.asks(
            "looking for Posthorn's tables",
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
              "there are no tables '%s…' in this database"
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
      found.addAll(database.asks("looking at " + what, exam));
    } catch (PosthornException e) {
      found.add(
          DoctorCheck.NOT_LOOKED_AT.warning(
              "%s could not be looked at: %s".formatted(what, String.valueOf(e.getMessage()))));
    }
  }
}
