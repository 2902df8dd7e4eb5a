package io.posthorn.postgresql.operate.retention;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.Expiring;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.postgresql.operate.archive.ArchivedLetters;
import io.posthorn.postgresql.operate.archive.ArchivesInUse;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * Removes expired dead letters in small steps: it archives them first, then removes those that have
 * not changed in between. A letter that is on its way again, or that holds its key, stays. With
 * several archives in use, each purge gives letters to its own archive and notes it; letters are
 * removed once every archive has them.
 */
final class LetterExpiry {
  private static final int CHUNK = 200;
  private static final long BYTES = 8L << 20;
  private static final String WHO = "retention";

  private static final Sql READ =
      Sql.of(
          "read expired letters",
          """
          WITH old AS MATERIALIZED (
            SELECT x.id,
                   sum(x.bytes) OVER (ORDER BY x.created_at, x.id ROWS UNBOUNDED PRECEDING) - x.bytes AS bytes_before
              FROM unnest(ARRAY['DEAD', 'DISCARDED', 'SENT', 'REQUEUED']) AS s (state)
             CROSS JOIN LATERAL
                   (SELECT d.id, d.created_at,
                           octet_length(d.payload) + coalesce(octet_length(d.corrected), 0)
                             + pg_column_size(d.headers || '{}') - 8 AS bytes
                      FROM posthorn_dead d
                     WHERE d.state = s.state
                       AND d.created_at < statement_timestamp() - make_interval(secs => :dead)
                       AND greatest(d.restored_at, d.outcome_at, d.created_at)
                             < statement_timestamp() - make_interval(secs => :dead)
                       AND (d.state IN ('DEAD', 'DISCARDED') OR d.outcome IS NOT NULL)
                       AND NOT EXISTS (SELECT 1
                                         FROM posthorn_held h
                                        WHERE h.destination = d.destination
                                          AND h.aggregate_type = d.aggregate_type
                                          AND h.key = d.key
                                          AND h.dead_id = d.id)
                       AND (NOT EXISTS (SELECT 1
                                          FROM posthorn_archived_letter a
                                         WHERE a.letter = d.id
                                           AND a.archive = :archive
                                           AND a.state = d.state)
                            OR NOT EXISTS (SELECT 1
                                             FROM posthorn_archived o
                                            WHERE o.leaf = ''
                                              AND NOT EXISTS (SELECT 1
                                                                FROM posthorn_archived_letter a
                                                               WHERE a.letter = d.id
                                                                 AND a.archive = o.archive
                                                                 AND a.state = d.state)))
                     ORDER BY d.created_at, d.id
                     LIMIT :chunk) x
             LIMIT :chunk
          )
          SELECT d.id, d.seq, d.state, d.created_at::date AS day,
                 EXISTS (SELECT 1
                           FROM posthorn_archived_letter a
                          WHERE a.letter = d.id
                            AND a.archive = :archive
                            AND a.state = d.state) AS archived,
                 (to_jsonb(d) || jsonb_build_object(
                   'payload', translate(encode(d.payload, 'base64'), E'\\n', ''),
                   'corrected', translate(encode(d.corrected, 'base64'), E'\\n', ''),
                   'history', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                                        'attempt', a.attempt, 'at', a.at, 'outcome', a.outcome, 'reason', a.reason,
                                        'error', a.error) ORDER BY a.attempt), '[]')
                                 FROM posthorn_attempt a
                                WHERE a.message_id = d.message_id
                                  AND a.destination = d.destination)))::text AS line
            FROM old
            JOIN posthorn_dead d ON d.id = old.id
           WHERE old.bytes_before < :bytes
           ORDER BY d.created_at, d.id
          """);

  // Removes a letter only in the state in which all archives got it. It skips letters that a person
  // has changed or has locked, so neither waits for the other. Letters are locked in the order that
  // everyone uses.
  private static final Sql REMOVE =
      Sql.of(
          "remove expired letters",
          """
          WITH free AS MATERIALIZED (
            SELECT d.id
              FROM unnest(CAST(:ids AS uuid[]), CAST(:states AS text[])) AS archived (id, state)
              JOIN posthorn_dead d ON d.id = archived.id AND d.state = archived.state
             WHERE (d.state IN ('DEAD', 'DISCARDED') OR d.outcome IS NOT NULL)
               AND NOT EXISTS (SELECT 1
                                 FROM posthorn_held h
                                WHERE h.destination = d.destination
                                  AND h.aggregate_type = d.aggregate_type
                                  AND h.key = d.key
                                  AND h.dead_id = d.id)
               AND NOT EXISTS (SELECT 1
                                 FROM unnest(CAST(:others AS text[])) AS o (archive)
                                WHERE NOT EXISTS (SELECT 1
                                                    FROM posthorn_archived_letter a
                                                   WHERE a.letter = d.id
                                                     AND a.archive = o.archive
                                                     AND a.state = d.state))
             ORDER BY d.id
               FOR UPDATE OF d SKIP LOCKED
          ), gone AS (
            DELETE FROM posthorn_dead d
             USING free
             WHERE d.id = free.id
            RETURNING d.id, d.destination, d.created_at
          ), forgotten AS (
            DELETE FROM posthorn_archived_letter
             WHERE letter = ANY (ARRAY (SELECT id FROM gone))
          )
          SELECT count(*) AS letters, count(DISTINCT destination) AS destinations, min(created_at)::text AS first,
                 max(created_at)::text AS last
            FROM gone
          """);

  private static final Sql EXPIRING =
      Sql.of(
          "count letters that expire soon",
          """
          SELECT d.destination, count(*) AS letters,
                 (date_part('epoch', min(greatest(d.restored_at, d.outcome_at, d.created_at))) * 1000000)::bigint
                   AS oldest
            FROM posthorn_dead d
           WHERE d.created_at < statement_timestamp() - make_interval(secs => :age)
             AND greatest(d.restored_at, d.outcome_at, d.created_at)
                   < statement_timestamp() - make_interval(secs => :age)
             AND d.state = ANY (ARRAY['DEAD', 'DISCARDED', 'SENT', 'REQUEUED'])
             AND (d.state IN ('DEAD', 'DISCARDED') OR d.outcome IS NOT NULL)
             AND NOT EXISTS (SELECT 1
                               FROM posthorn_held h
                              WHERE h.destination = d.destination
                                AND h.aggregate_type = d.aggregate_type
                                AND h.key = d.key
                                AND h.dead_id = d.id)
           GROUP BY d.destination
           ORDER BY d.destination
          """);

  private record LetterLine(
      UUID id, long seq, String state, LocalDate day, boolean archived, String json) {}

  private final Database database;

  LetterExpiry(Database database) {
    this.database = database;
  }

  /** Returns the letters that will be removed within the time of announcement. */
  List<Expiring> expiring(Duration dead) {
    Duration age = dead.minus(RetentionTimes.ANNOUNCED);
    return database.ask(
        "counting letters that expire soon",
        EXPIRING,
        query ->
            query
                .set("age", age.isNegative() ? Duration.ZERO : age)
                .rows(
                    row ->
                        new Expiring(
                            row.getString("destination"),
                            row.getLong("letters"),
                            Times.instant(row.getLong("oldest")).plus(dead))));
  }

  /** Returns how many letters were removed. */
  long expire(Duration dead, Archive archive, PurgeProgress purging) {
    long removed = 0;
    while (purging.goOn("removing dead letters, %,d so far".formatted(removed))) {
      List<LetterLine> lines = read(dead, archive);
      if (lines.isEmpty()) {
        break;
      }
      List<LetterLine> news = lines.stream().filter(line -> !line.archived).toList();
      if (!news.isEmpty()) {
        archive.append(
            new Part(
                Part.Kind.LETTERS,
                news.get(0).day,
                news.stream().mapToLong(LetterLine::seq).min().getAsLong(),
                news.stream().map(LetterLine::json).toList()));
      }
      Done done = done(lines, news, dead, archive);
      removed += done.removed;
      if (done.removed < lines.size() && !done.noted) {
        // The other letters are locked; the next purge tries them again.
        break;
      }
    }
    return removed;
  }

  private List<LetterLine> read(Duration dead, Archive archive) {
    return database.transaction(
        "reading expired dead letters",
        tx -> {
          tx.execute("SET LOCAL TimeZone = 'UTC'");
          try (Query query = tx.query(READ)) {
            return query
                .set("dead", dead)
                .set("archive", archive.name())
                .set("chunk", CHUNK)
                .set("bytes", BYTES)
                .rows(
                    row ->
                        new LetterLine(
                            row.getObject("id", UUID.class),
                            row.getLong("seq"),
                            row.getString("state"),
                            Objects.requireNonNull(row.getObject("day", LocalDate.class)),
                            row.getBoolean("archived"),
                            row.getString("line")));
          }
        });
  }

  /**
   * @param noted whether letters were noted that this archive did not have before
   */
  private record Done(int removed, boolean noted) {}

  private Done done(
      List<LetterLine> archived, List<LetterLine> news, Duration dead, Archive archive) {
    return database.transaction(
        "removing expired dead letters",
        tx -> {
          // Another archive may have come into use only now.
          List<String> others = ArchivesInUse.others(tx, archive);
          boolean note = !others.isEmpty() && archive != Archive.NONE && !news.isEmpty();
          if (note) {
            try (Query query = tx.query(ArchivedLetters.NOTE)) {
              set(query, news).set("archive", archive.name()).update();
            }
          }
          return new Done(remove(tx, archived, others, dead, archive), note);
        });
  }

  private static Query set(Query query, List<LetterLine> lines) throws SQLException {
    return query
        .setUuids("ids", lines.stream().map(LetterLine::id).toList())
        .setTexts("states", lines.stream().map(LetterLine::state).toList());
  }

  private static int remove(
      Database.Tx tx,
      List<LetterLine> archived,
      List<String> others,
      Duration dead,
      Archive archive)
      throws SQLException {
    record Gone(int letters, int destinations, String first, String last) {}
    Gone gone;
    try (Query query = tx.query(REMOVE)) {
      gone =
          Objects.requireNonNull(
              set(query, archived)
                  .setTexts("others", others)
                  .first(
                      row ->
                          new Gone(
                              row.getInt("letters"),
                              row.getInt("destinations"),
                              row.getString("first"),
                              row.getString("last"))));
    }
    if (gone.letters > 0) {
      AuditLog.write(
          tx,
          new Actor(WHO, "older than " + dead.toDays() + " days"),
          "dead.expire",
          "%d letters of %d destinations, died from %s to %s"
              .formatted(gone.letters, gone.destinations, gone.first, gone.last),
          null,
          archive == Archive.NONE ? "removed" : "archived to " + archive.name());
    }
    return gone.letters;
  }
}
