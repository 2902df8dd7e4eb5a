package io.posthorn.postgresql.operate.doctor;

import io.posthorn.core.operate.doctor.Diagnosis;
import io.posthorn.postgresql.schema.DoctorCheck;
import io.posthorn.postgresql.schema.ReceiptRing;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks that the tables are complete, and that their progress belongs to this server. */
final class TablesExam {
  private static final Sql MISSING_LEAVES =
      Sql.of(
          "find missing leaves",
          """
          SELECT l.name
            FROM unnest(CAST(:leaves AS text[])) AS l (name)
           WHERE NOT EXISTS (SELECT 1
                               FROM pg_inherits i
                              WHERE i.inhrelid = to_regclass(l.name)
                                AND NOT i.inhdetachpending)
           ORDER BY l.name
          """);

  private static final Sql INDEXES =
      Sql.of(
          "find invalid indexes",
          """
          SELECT i.indexrelid::regclass::text AS index
            FROM pg_index i
            JOIN pg_class c ON c.oid = i.indrelid
           WHERE c.relnamespace = to_regnamespace(:schema)
             AND starts_with(c.relname, :prefix)
             AND NOT (i.indisvalid AND i.indisready)
           ORDER BY index
           LIMIT 5
          """);

  private static final Sql NOT_VACUUMED =
      Sql.of(
          "find tables without vacuum",
          """
          SELECT c.relname
            FROM pg_class c
           WHERE c.relnamespace = to_regnamespace(:schema)
             AND starts_with(c.relname, :prefix)
             AND EXISTS (SELECT 1
                           FROM pg_options_to_table(c.reloptions) o
                          WHERE o.option_name = 'autovacuum_enabled'
                            AND NOT CAST(o.option_value AS boolean))
           ORDER BY c.relname
           LIMIT 5
          """);

  private static final Sql CURSORS =
      Sql.of(
          "compare cursors",
          """
          SELECT l.destination, pg_snapshot_xmax(coalesce(c.s2, c.s1))::text::bigint AS known,
                 pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS own,
                 c.high, CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END AS drawn
            FROM posthorn_lane l
           CROSS JOIN posthorn_seq s
           CROSS JOIN LATERAL
                 (SELECT p.s1, p.s2, p.high
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                   ORDER BY p.n DESC
                   LIMIT 1) c
           ORDER BY l.destination, l.lane
          """);

  private TablesExam() {}

  static Diagnosis leaves(Database.Tx tx) throws SQLException {
    List<String> leaves =
        Stream.concat(
                Ring.ALL.stream()
                    .flatMap(
                        ring ->
                            IntStream.range(0, Ring.LEAVES)
                                .mapToObj(slot -> ring.leaf(slot).table())),
                ReceiptRing.SLOTS.stream().map(ReceiptRing::leaf))
            .map(tx.tables()::in)
            .toList();
    try (Query query = tx.query(MISSING_LEAVES)) {
      List<String> missing = query.setTexts("leaves", leaves).rows(row -> row.getString("name"));
      return missing.isEmpty()
          ? DoctorCheck.LEAVES.ok("all %d leaves are in place".formatted(leaves.size()))
          : DoctorCheck.LEAVES.fault("leaves are missing: " + String.join(", ", missing));
    }
  }

  static List<Diagnosis> indexes(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(INDEXES)) {
      return TransactionsExam.orElse(
          ofTables(tx, query)
              .rows(
                  row ->
                      DoctorCheck.INDEXES.warning(
                          "index %s is not valid".formatted(row.getString("index")),
                          row.getString("index"))),
          DoctorCheck.INDEXES.ok("all indexes are valid"));
    }
  }

  /** Finds tables that are excluded from autovacuum; {@link SettingsExam} checks the server. */
  static List<Diagnosis> vacuum(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(NOT_VACUUMED)) {
      return ofTables(tx, query)
          .rows(
              row ->
                  DoctorCheck.AUTOVACUUM.warning(
                      "autovacuum_enabled is off for " + row.getString("relname")));
    }
  }

  private static Query ofTables(Database.Tx tx, Query query) throws SQLException {
    return query.set("schema", tx.tables().schema()).set("prefix", tx.tables().prefix());
  }

  static List<Diagnosis> cursors(Database.Tx tx) throws SQLException {
    List<Diagnosis> found = new ArrayList<>();
    try (Query query = tx.query(CURSORS)) {
      query.rows(
          row -> {
            String destination = row.getString("destination");
            long known = row.getLong("known");
            long own = row.getLong("own");
            if (own < known) {
              found.add(
                  DoctorCheck.CURSOR_AHEAD.fault(
                      "the cursor of '%s' knows transactions up to %,d, but this server is only at %,d"
                          .formatted(destination, known, own)));
            }
            long high = row.getLong("high");
            long drawn = row.getLong("drawn");
            if (drawn < high) {
              found.add(
                  DoctorCheck.SEQUENCE_BEHIND.fault(
                      "the sequence is at %,d, but '%s' has already seen %,d"
                          .formatted(drawn, destination, high),
                      tx.tables().in("posthorn_seq"),
                      high));
            }
            return destination;
          });
    }
    return TransactionsExam.orElse(
        found, DoctorCheck.CURSOR_AHEAD.ok("cursors and sequence belong to this server"));
  }
}
