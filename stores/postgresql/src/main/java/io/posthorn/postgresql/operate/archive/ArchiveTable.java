package io.posthorn.postgresql.operate.archive;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.List;

/**
 * The archive in tables of the same database, and the way back from archived lines into tables. A
 * line is a JSON object with the column names of its table; the payload is in base64.
 */
public final class ArchiveTable implements Archive {
  static final String NAME = "table";

  private static final Sql MESSAGES =
      Sql.of(
          "archive messages",
          """
          INSERT INTO posthorn_archive
                 (id, seq, recorded_at, type, schema_version, aggregate_type, key, payload, content_type, headers,
                  cipher_key, occurred_at, not_before)
          SELECT m.id, m.seq, m.recorded_at, m.type, m.schema_version, m.aggregate_type, m.key,
                 decode(m.payload, 'base64'), m.content_type, m.headers, m.cipher_key, m.occurred_at, m.not_before
            FROM unnest(CAST(:lines AS text[])) AS l (line)
           CROSS JOIN LATERAL jsonb_to_record(CAST(l.line AS jsonb))
                   AS m (id uuid, seq bigint, recorded_at timestamptz, type text, schema_version int,
                         aggregate_type text, key text, payload text, content_type text, headers jsonb,
                         cipher_key text, occurred_at timestamptz, not_before timestamptz)
              ON CONFLICT (id, seq) DO NOTHING
          """);

  // A letter that was archived and then changed by a person is replaced: the newer version counts.
  private static final Sql FORGET_LETTERS =
      Sql.of(
          "replace archived letters",
          """
          DELETE FROM posthorn_archive_dead
           WHERE id = ANY (ARRAY (
                   SELECT CAST(CAST(l.line AS jsonb) ->> 'id' AS uuid)
                     FROM unnest(CAST(:lines AS text[])) AS l (line)))
          """);

  // Copies all columns by name, so columns that are added to letters later are archived, too.
  private static final Sql LETTERS =
      Sql.of(
          "archive letters",
          """
          INSERT INTO posthorn_archive_dead
          SELECT letter.*
            FROM unnest(CAST(:lines AS text[])) AS l (line)
           CROSS JOIN LATERAL
                 jsonb_populate_record(
                   CAST(NULL AS posthorn_archive_dead),
                   CAST(l.line AS jsonb) || jsonb_build_object(
                     'payload', '\\x' || encode(decode(CAST(l.line AS jsonb) ->> 'payload', 'base64'), 'hex'),
                     'corrected', '\\x' || encode(decode(CAST(l.line AS jsonb) ->> 'corrected', 'base64'), 'hex'),
                     'archived_at', clock_timestamp())) AS letter
          """);

  private static final Sql RESTORE_LETTERS =
      Sql.of(
          "restore letters",
          """
          INSERT INTO posthorn_dead
          SELECT letter.*
            FROM unnest(CAST(:lines AS text[])) AS l (line)
           CROSS JOIN LATERAL
                 jsonb_populate_record(
                   CAST(NULL AS posthorn_dead),
                   CAST(l.line AS jsonb) || jsonb_build_object(
                     'payload', '\\x' || encode(decode(CAST(l.line AS jsonb) ->> 'payload', 'base64'), 'hex'),
                     'corrected', '\\x' || encode(decode(CAST(l.line AS jsonb) ->> 'corrected', 'base64'), 'hex'),
                     'restored_at', clock_timestamp())) AS letter
              ON CONFLICT (id) DO NOTHING
          """);

  private static final Sql RESTORE_ATTEMPTS =
      Sql.of(
          "restore attempts",
          """
          INSERT INTO posthorn_attempt (destination, message_id, attempt, at, outcome, reason, error)
          SELECT letter.destination, letter.message_id, a.attempt, a.at, a.outcome, a.reason, a.error
            FROM unnest(CAST(:lines AS text[])) AS l (line)
           CROSS JOIN LATERAL jsonb_to_record(CAST(l.line AS jsonb))
                   AS letter (destination text, message_id uuid, history jsonb)
           CROSS JOIN LATERAL jsonb_to_recordset(letter.history)
                   AS a (attempt int, at timestamptz, outcome text, reason text, error text)
              ON CONFLICT DO NOTHING
          """);

  private final Database database;

  public ArchiveTable(Database database) {
    this.database = database;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public void append(Part part) {
    database.transaction(
        "archiving " + part.lines().size() + " lines",
        tx ->
            switch (part.kind()) {
              case MESSAGES -> insert(tx, MESSAGES, part.lines());
              case LETTERS -> {
                insert(tx, FORGET_LETTERS, part.lines());
                yield insert(tx, LETTERS, part.lines());
              }
            });
  }

  public int restore(Part part, Actor by) {
    return database.transaction(
        "restoring " + part.lines().size() + " lines",
        tx -> {
          int restored =
              switch (part.kind()) {
                case MESSAGES -> insert(tx, MESSAGES, part.lines());
                case LETTERS -> {
                  int letters = insert(tx, RESTORE_LETTERS, part.lines());
                  insert(tx, RESTORE_ATTEMPTS, part.lines());
                  yield letters;
                }
              };
          if (restored > 0) {
            AuditLog.write(
                tx,
                by,
                "archive.restore",
                part.name(),
                null,
                restored + " of " + part.lines().size());
          }
          return restored;
        });
  }

  private static int insert(Database.Tx tx, Sql sql, List<String> lines) throws SQLException {
    try (Query query = tx.query(sql)) {
      return query.setTexts("lines", lines).update();
    }
  }
}
