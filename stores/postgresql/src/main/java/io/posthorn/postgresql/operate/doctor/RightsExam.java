package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.DatabaseRole;
import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.schema.RoleGrants;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks that roles have the rights that {@link RoleGrants} prints for them. */
final class RightsExam {
  private static final Pattern GRANT =
      Pattern.compile("GRANT ([^;]+?)\\s+ON (SCHEMA |SEQUENCE |FUNCTION |)([^;]+?) TO \"");
  private static final Pattern RIGHT = Pattern.compile("([A-Z]+)(?: \\(([^)]*)\\))?");
  private static final int SHOWN = 5;

  private static final Sql MISSING =
      Sql.of(
          "find missing rights",
          """
          SELECT w.name
            FROM unnest(CAST(:names AS text[]), CAST(:kinds AS text[]), CAST(:rights AS text[]),
                        CAST(:columns AS text[]), CAST(:things AS text[]))
                   AS w (name, kind, privilege, col, thing)
           WHERE NOT coalesce(CASE WHEN w.kind = 'SCHEMA' THEN has_schema_privilege(:role, w.thing, w.privilege)
                                   WHEN w.kind = 'SEQUENCE' THEN has_sequence_privilege(:role, to_regclass(w.thing), w.privilege)
                                   WHEN w.kind = 'FUNCTION' THEN has_function_privilege(:role, to_regproc(w.thing), w.privilege)
                                   WHEN w.col = '' THEN has_table_privilege(:role, to_regclass(w.thing), w.privilege)
                                   ELSE has_column_privilege(:role, to_regclass(w.thing), w.col, w.privilege)
                              END, false)
          """);

  private static final Sql ROLE =
      Sql.of("find role", "SELECT rolname FROM pg_roles WHERE rolname = :role");

  private static final Sql OWN = Sql.of("read role", "SELECT current_user");

  /** One right on a table, sequence, function or schema, or on one of its columns. */
  private record Right(String kind, String right, String column, String thing) {
    String name() {
      return right + (column.isEmpty() ? "" : " (" + column + ")") + " on " + thing;
    }
  }

  private RightsExam() {}

  static List<Diagnosis> look(Database.Tx tx, Map<DatabaseRole, List<String>> roles)
      throws SQLException {
    if (roles.values().stream().allMatch(List::isEmpty)) {
      return List.of(ofRoleInUse(tx));
    }
    List<Diagnosis> found = new ArrayList<>();
    for (Map.Entry<DatabaseRole, List<String>> duty : roles.entrySet()) {
      for (String role : duty.getValue()) {
        found.add(look(tx, duty.getKey(), role));
      }
    }
    return found;
  }

  private static Diagnosis look(Database.Tx tx, DatabaseRole duty, String role)
      throws SQLException {
    String as = duty.name().toLowerCase(Locale.ROOT);
    try (Query query = tx.query(ROLE)) {
      if (!query.set("role", role).any()) {
        return DoctorCheck.MISSING_RIGHTS.fault(
            "role '%s' does not exist".formatted(role), as, role);
      }
    }
    List<String> missing = missing(tx, duty, role);
    if (missing.isEmpty()) {
      return DoctorCheck.MISSING_RIGHTS.ok("role '%s' has all rights as %s".formatted(role, as));
    }
    return DoctorCheck.MISSING_RIGHTS.fault(
        "role '%s' lacks %s as %s: %s%s"
            .formatted(
                role,
                Count.exactly(missing.size()).of("right"),
                as,
                String.join(", ", missing.subList(0, Math.min(SHOWN, missing.size()))),
                missing.size() > SHOWN ? ", …" : ""),
        as,
        role);
  }

  /**
   * Checks the role in use, whose duty is unknown: it passes with all rights of any duty. Otherwise
   * the rights of an operator are reported as missing, because the doctor is run by an operator.
   */
  private static Diagnosis ofRoleInUse(Database.Tx tx) throws SQLException {
    String role;
    try (Query query = tx.query(OWN)) {
      role = Objects.requireNonNull(query.first(row -> row.getString(1)));
    }
    List<String> duties = new ArrayList<>();
    for (DatabaseRole duty : DatabaseRole.values()) {
      if (missing(tx, duty, role).isEmpty()) {
        duties.add(duty.name().toLowerCase(Locale.ROOT));
      }
    }
    return duties.isEmpty()
        ? look(tx, DatabaseRole.OPERATOR, role)
        : DoctorCheck.MISSING_RIGHTS.ok(
            "role '%s' has all rights as %s".formatted(role, String.join(", ", duties)));
  }

  private static List<String> missing(Database.Tx tx, DatabaseRole duty, String role)
      throws SQLException {
    RoleGrants grants = new RoleGrants(tx.tables());
    String text =
        switch (duty) {
          case WRITER -> grants.writer(role);
          case RECEIVER -> grants.receiver(role);
          case RELAY -> grants.relay(role);
          case OPERATOR -> grants.operator(role);
        };
    List<Right> rights = rights(text);
    try (Query query = tx.query(MISSING)) {
      return query
          .set("role", role)
          .setTexts("names", rights.stream().map(Right::name).toList())
          .setTexts("kinds", rights.stream().map(Right::kind).toList())
          .setTexts("rights", rights.stream().map(Right::right).toList())
          .setTexts("columns", rights.stream().map(Right::column).toList())
          .setTexts("things", rights.stream().map(Right::thing).toList())
          .rows(row -> Objects.requireNonNull(row.getString("name")));
    }
  }

  private static List<Right> rights(String grants) {
    List<Right> rights = new ArrayList<>();
    Matcher grant = GRANT.matcher(grants);
    while (grant.find()) {
      for (String thing : grant.group(3).split(",\\s*", -1)) {
        Matcher right = RIGHT.matcher(grant.group(1));
        while (right.find()) {
          String columns = right.group(2) == null ? "" : right.group(2);
          for (String column : columns.split(",\\s*", -1)) {
            rights.add(new Right(grant.group(2).strip(), right.group(1), column, thing));
          }
        }
      }
    }
    return rights;
  }
}
