package io.posthorn.postgresql.operate.archive;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.util.List;
import java.util.UUID;

/**
 * Records which archives have which dead letters, and restores letters from the archive's table.
 */
public final class ArchivedLetters {
  /** Records that an archive has these letters in these states. */
  public static final Sql NOTE =
      Sql.of(
          "note archived letters",
          """
          INSERT INTO posthorn_archived_letter (letter, archive, state)
          SELECT archived.id, :archive, archived.state
            FROM unnest(CAST(:ids AS uuid[]), CAST(:states AS text[])) AS archived (id, state)
              ON CONFLICT (letter, archive) DO UPDATE
             SET state = excluded.state
          """);

  private static final Sql WAITING =
      Sql.of(
          "count letters that other archives lack",
          """
          SELECT o.archive, count(*) AS letters
            FROM posthorn_archived_letter mine
           CROSS JOIN posthorn_archived o
           WHERE mine.archive = :archive
             AND o.leaf = ''
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_archived_letter a
                              WHERE a.letter = mine.letter
                                AND a.archive = o.archive
                                AND a.state = mine.state)
           GROUP BY o.archive
           ORDER BY o.archive
          """);

  private static final Sql LIST =
      Sql.of(
          "list archived letters",
          """
          SELECT id
            FROM posthorn_archive_dead
           WHERE id > :after
           ORDER BY id
           LIMIT :limit
          """);

  // Copies all columns by name, as they were archived.
  private static final Sql RESTORE =
      Sql.of(
          "restore archived letters",
          """
          INSERT INTO posthorn_dead
          SELECT letter.*
            FROM posthorn_archive_dead a
           CROSS JOIN LATERAL
                 jsonb_populate_record(
                   CAST(NULL AS posthorn_dead),
                   to_jsonb(a) || jsonb_build_object('restored_at', clock_timestamp())) AS letter
           WHERE a.id = ANY (:ids)
              ON CONFLICT (id) DO NOTHING
          """);

  private static final Sql ATTEMPTS =
      Sql.of(
          "restore attempts of archived letters",
          """
          INSERT INTO posthorn_attempt (destination, message_id, attempt, at, outcome, reason, error)
          SELECT letter.destination, letter.message_id, a.attempt, a.at, a.outcome, a.reason, a.error
            FROM posthorn_archive_dead letter
           CROSS JOIN LATERAL jsonb_to_recordset(letter.history)
                   AS a (attempt int, at timestamptz, outcome text, reason text, error text)
           WHERE letter.id = ANY (:ids)
              ON CONFLICT DO NOTHING
          """);

  private final Database database;

  public ArchivedLetters(Database database) {
    this.database = database;
  }

  /** Describes the letters that this archive has and that still wait for other archives. */
  public List<String> waiting(Archive archive) {
    return database.ask(
        "counting letters that other archives lack",
        WAITING,
        query ->
            query
                .set("archive", archive.name())
                .rows(
                    row ->
                        "%,d dead letters wait for archive '%s'; the next purge that uses it continues"
                            .formatted(row.getLong("letters"), row.getString("archive"))));
  }

  public List<UUID> list(UUID after, int limit) {
    return database.read(
        "listing archived letters",
        LIST,
        query ->
            query
                .set("after", after)
                .set("limit", limit)
                .rows(row -> row.getObject("id", UUID.class)));
  }

  public int restore(List<UUID> ids, Actor by) {
    return database.transaction(
        "restoring " + ids.size() + " archived letters",
        tx -> {
          int restored;
          try (Query query = tx.query(RESTORE)) {
            restored = query.setUuids("ids", ids).update();
          }
          try (Query query = tx.query(ATTEMPTS)) {
            query.setUuids("ids", ids).update();
          }
          if (restored > 0) {
            AuditLog.write(
                tx,
                by,
                "archive.restore",
                "letters of archive '%s'".formatted(ArchiveTable.NAME),
                null,
                restored + " of " + ids.size());
          }
          return restored;
        });
  }
}
