package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The notes and owners that people record for causes. */
public final class CauseNotes {
  private static final Sql READ =
      Sql.of(
          "read notes of causes",
          """
          SELECT fingerprint, note, owner, noted_by, noted_at
            FROM posthorn_cause
           WHERE fingerprint = ANY (CAST(:fingerprints AS text[]))
          """);

  // Creates the row if it is missing, and locks it, so that a second writer reads what the first
  // one wrote.
  private static final Sql LOCK =
      Sql.of(
          "lock note",
          """
          INSERT INTO posthorn_cause AS c (fingerprint, noted_by)
          SELECT :fingerprint, :who
           WHERE EXISTS (SELECT 1 FROM posthorn_dead WHERE fingerprint = :fingerprint)
              OR EXISTS (SELECT 1 FROM posthorn_cause WHERE fingerprint = :fingerprint)
              ON CONFLICT (fingerprint) DO UPDATE SET noted_by = c.noted_by
          RETURNING c.note, c.owner
          """);

  private static final Sql WRITE =
      Sql.of(
          "write note",
          """
          UPDATE posthorn_cause
             SET note = nullif(coalesce(CAST(:note AS text), note), ''),
                 owner = nullif(coalesce(CAST(:owner AS text), owner), ''),
                 noted_by = :who,
                 noted_at = clock_timestamp()
           WHERE fingerprint = :fingerprint
          RETURNING note, owner
          """);

  private final Database database;

  public CauseNotes(Database database) {
    this.database = database;
  }

  public Optional<CauseNote> find(String fingerprint) {
    return Optional.ofNullable(find(List.of(fingerprint)).get(fingerprint));
  }

  Map<String, CauseNote> find(Collection<String> fingerprints) {
    Map<String, CauseNote> found = new HashMap<>();
    database.ask(
        "reading notes of causes",
        READ,
        query ->
            query
                .setTexts("fingerprints", fingerprints)
                .rows(row -> found.put(row.getString("fingerprint"), note(row))));
    return found;
  }

  private static CauseNote note(ResultSet row) throws SQLException {
    return new CauseNote(
        row.getString("note"),
        row.getString("owner"),
        row.getString("noted_by"),
        Times.instant(row, "noted_at"));
  }

  public boolean write(
      String fingerprint, @Nullable String note, @Nullable String owner, Actor by) {
    return database.transaction(
        "writing the note of cause " + fingerprint,
        tx -> {
          String before;
          try (Query query = tx.query(LOCK)) {
            before =
                query.set("fingerprint", fingerprint).set("who", by.who()).first(CauseNotes::words);
          }
          if (before == null) {
            return false;
          }
          String after;
          try (Query query = tx.query(WRITE)) {
            after =
                query
                    .set("fingerprint", fingerprint)
                    .set("note", note)
                    .set("owner", owner)
                    .set("who", by.who())
                    .first(CauseNotes::words);
          }
          AuditLog.write(tx, by, "cause.note", "cause " + fingerprint, before, after);
          return true;
        });
  }

  private static String words(ResultSet row) throws SQLException {
    String note = row.getString("note");
    String owner = row.getString("owner");
    return "owner: %s; note: %s"
        .formatted(owner == null ? "none" : owner, note == null ? "none" : note);
  }
}
