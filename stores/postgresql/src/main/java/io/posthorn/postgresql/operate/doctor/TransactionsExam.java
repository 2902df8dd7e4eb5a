package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * Checks for what blocks vacuum, retention and disk space: long transactions and slots without a
 * reader.
 */
final class TransactionsExam {
  private static final Sql OPEN =
      Sql.of(
          "find open transactions",
          """
          SELECT pid, usename, application_name, state,
                 date_part('epoch', clock_timestamp() - xact_start)::bigint AS seconds
            FROM pg_stat_activity
           WHERE datname = current_database()
             AND pid <> pg_backend_pid()
             AND backend_type = 'client backend'
             AND xact_start < clock_timestamp() - make_interval(secs => :patience)
           ORDER BY xact_start
           LIMIT 5
          """);

  private static final Sql PREPARED =
      Sql.of(
          "find prepared transactions",
          """
          SELECT gid, owner, date_part('epoch', clock_timestamp() - prepared)::bigint AS seconds
            FROM pg_prepared_xacts
           WHERE database = current_database()
             AND prepared < clock_timestamp() - make_interval(secs => :patience)
           ORDER BY prepared
           LIMIT 5
          """);

  private static final Sql SLOTS =
      Sql.of(
          "find slots",
          """
          SELECT slot_name,
                 pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END,
                                 restart_lsn)::bigint AS bytes
            FROM pg_replication_slots
           WHERE NOT active
             AND (restart_lsn IS NOT NULL OR xmin IS NOT NULL)
           ORDER BY slot_name
           LIMIT 5
          """);

  private TransactionsExam() {}

  static List<Diagnosis> open(Database.Tx tx, Duration patience) throws SQLException {
    try (Query query = tx.query(OPEN)) {
      return orElse(
          query
              .set("patience", patience)
              .rows(
                  row ->
                      DoctorCheck.OPEN_TRANSACTION.warning(
                          "process %d of user %s, application '%s', has had a transaction open for %,d s (%s)"
                              .formatted(
                                  row.getInt("pid"),
                                  row.getString("usename"),
                                  row.getString("application_name"),
                                  row.getLong("seconds"),
                                  row.getString("state")),
                          row.getInt("pid"))),
          DoctorCheck.OPEN_TRANSACTION.ok("no transaction has been open for too long"));
    }
  }

  static List<Diagnosis> prepared(Database.Tx tx, Duration patience) throws SQLException {
    try (Query query = tx.query(PREPARED)) {
      return orElse(
          query
              .set("patience", patience)
              .rows(
                  row ->
                      DoctorCheck.PREPARED_TRANSACTION.warning(
                          "transaction '%s' of %s has been prepared for %,d s"
                              .formatted(
                                  row.getString("gid"),
                                  row.getString("owner"),
                                  row.getLong("seconds")),
                          row.getString("gid").replace("'", "''"))),
          DoctorCheck.PREPARED_TRANSACTION.ok("no transaction has been prepared for too long"));
    }
  }

  static List<Diagnosis> slots(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(SLOTS)) {
      return orElse(
          query.rows(
              row ->
                  DoctorCheck.REPLICATION_SLOT.warning(
                      "replication slot '%s' has no reader and keeps %,d MiB of write-ahead log"
                          .formatted(row.getString("slot_name"), row.getLong("bytes") >> 20),
                      row.getString("slot_name"))),
          DoctorCheck.REPLICATION_SLOT.ok("every replication slot has a reader"));
    }
  }

  static List<Diagnosis> orElse(List<Diagnosis> found, Diagnosis inOrder) {
    return found.isEmpty() ? List.of(inOrder) : found;
  }
}
