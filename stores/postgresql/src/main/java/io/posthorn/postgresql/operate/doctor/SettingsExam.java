package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks the server's settings as they apply to the role in use in this database. */
final class SettingsExam {
  private static final Sql SETTINGS =
      Sql.of(
          "read settings",
          """
          SELECT name, setting
            FROM pg_settings
           WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum', 'track_counts',
                          'default_transaction_read_only', 'statement_timeout', 'transaction_timeout',
                          'idle_in_transaction_session_timeout')
          """);

  /** A settle may take this long; see {@code RelayConfig}. */
  private static final Duration SETTLE = Duration.ofSeconds(5);

  private final Map<String, String> settings;

  private SettingsExam(Map<String, String> settings) {
    this.settings = settings;
  }

  static List<Diagnosis> look(Database.Tx tx) throws SQLException {
    Map<String, String> settings = new HashMap<>();
    try (Query query = tx.query(SETTINGS)) {
      query.rows(row -> settings.put(row.getString("name"), row.getString("setting")));
    }
    SettingsExam exam = new SettingsExam(settings);
    return List.of(
        exam.durability(),
        exam.synchronousCommit(),
        exam.autovacuum(),
        exam.readOnly(),
        exam.timeout(),
        exam.idleTransactions());
  }

  private boolean off(String name) {
    return "off".equals(settings.get(name));
  }

  private long millis(String name) {
    return Long.parseLong(settings.getOrDefault(name, "0"));
  }

  private Diagnosis durability() {
    String found =
        "fsync is %s, full_page_writes is %s"
            .formatted(settings.get("fsync"), settings.get("full_page_writes"));
    return off("fsync") || off("full_page_writes")
        ? DoctorCheck.DURABILITY.fault(found)
        : DoctorCheck.DURABILITY.ok(found);
  }

  private Diagnosis synchronousCommit() {
    String found = "synchronous_commit is " + settings.get("synchronous_commit");
    return off("synchronous_commit")
        ? DoctorCheck.SYNCHRONOUS_COMMIT.warning(found)
        : DoctorCheck.SYNCHRONOUS_COMMIT.ok(found);
  }

  private Diagnosis autovacuum() {
    return off("autovacuum") || off("track_counts")
        ? DoctorCheck.AUTOVACUUM.warning("autovacuum is off on the whole server")
        : DoctorCheck.AUTOVACUUM.ok("autovacuum is on");
  }

  private Diagnosis readOnly() {
    return off("default_transaction_read_only")
        ? DoctorCheck.READ_ONLY.ok("transactions may write by default")
        : DoctorCheck.READ_ONLY.fault("default_transaction_read_only is on");
  }

  private Diagnosis timeout() {
    for (String name : List.of("statement_timeout", "transaction_timeout")) {
      long millis = millis(name);
      if (millis > 0 && millis < SETTLE.toMillis()) {
        return DoctorCheck.STATEMENT_TIMEOUT.warning("%s is %,d ms".formatted(name, millis));
      }
    }
    return DoctorCheck.STATEMENT_TIMEOUT.ok("no timeout is shorter than a settle may take");
  }

  private Diagnosis idleTransactions() {
    long millis = millis("idle_in_transaction_session_timeout");
    return millis == 0
        ? DoctorCheck.IDLE_TRANSACTIONS.note("idle_in_transaction_session_timeout is not set")
        : DoctorCheck.IDLE_TRANSACTIONS.ok(
            "idle_in_transaction_session_timeout is %,d s".formatted(millis / 1000));
  }
}
