package io.posthorn.api.database;

import io.posthorn.api.access.Caller;
import io.posthorn.api.access.Needs;
import io.posthorn.api.access.OperatedDatabase;
import io.posthorn.api.access.OperatedDatabases;
import io.posthorn.api.access.Right;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.doctor.Examination;
import io.posthorn.core.operate.doctor.Severity;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.status.Status;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** The databases of this process, and the state of each. */
@RestController
@RequestMapping("/api/v1/databases")
public final class DatabasesController {
  private final OperatedDatabases databases;

  DatabasesController(OperatedDatabases databases) {
    this.databases = databases;
  }

  /**
   * A database.
   *
   * @param rights what the caller may do in it
   */
  public record Database(String name, String environment, List<Right> rights) {}

  /** The databases that the caller may see. */
  public record Databases(List<Database> items) {}

  /** Lists the databases that the caller may see. */
  @GetMapping
  @Needs(Right.VIEW)
  public Databases list(Caller caller) {
    return new Databases(
        databases.of(caller, Right.VIEW).stream().map(one -> shown(one, caller)).toList());
  }

  private static Database shown(OperatedDatabase one, Caller caller) {
    List<Right> rights =
        Arrays.stream(Right.values()).filter(right -> caller.may(right, one.name())).toList();
    return new Database(one.name(), one.environment(), rights);
  }

  /** The status of all destinations, relays and the log. */
  @GetMapping("/{database}/status")
  @Needs(Right.VIEW)
  public Status status(OperatedDatabase database) {
    return database.store().status();
  }

  /** The whole database in figures. Large numbers are estimates. */
  @GetMapping("/{database}/figures")
  @Needs(Right.VIEW)
  public Figures figures(OperatedDatabase database) {
    return database.store().figures(database.retention());
  }

  /**
   * What the doctor found.
   *
   * @param worst how bad the worst finding is
   */
  public record Examined(Severity worst, List<Diagnosis> items) {}

  /** Checks everything that delivery needs; the worst findings come first. */
  @GetMapping("/{database}/doctor")
  @Needs(Right.VIEW)
  public Examined doctor(OperatedDatabase database) {
    String environment = database.environment().isEmpty() ? null : database.environment();
    List<Diagnosis> found =
        database.store().examine(new Examination(environment, database.retention(), Map.of()));
    Severity worst =
        found.stream().map(Diagnosis::severity).max(Severity::compareTo).orElse(Severity.OK);
    return new Examined(worst, found);
  }
}
