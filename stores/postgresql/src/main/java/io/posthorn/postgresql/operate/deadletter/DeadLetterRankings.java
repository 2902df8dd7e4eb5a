package io.posthorn.postgresql.operate.deadletter;

import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetterFigures;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Statistics of dead letters: by cause, reason, type and day, and the outcomes of rescues. */
public final class DeadLetterRankings {
  // Two steps: distinct values are computed from the few groups of the first step, not from all
  // letters. Texts are searched with LIKE, which finds the same as the list: the planner expects
  // few matches and starts parallel workers. With other operators it expects a third of all rows.
  private static final Sql CAUSES =
      Sql.of(
          "rank causes",
          """
          SELECT fingerprint, sum(letters) AS letters, min(first_seen) AS first_seen, max(last_seen) AS last_seen,
                 array_agg(DISTINCT type) AS types, array_agg(DISTINCT destination) AS destinations
            FROM (SELECT fingerprint, type, destination, count(*) AS letters, min(created_at) AS first_seen,
                         max(created_at) AS last_seen
                    FROM posthorn_dead x
                   WHERE state = ANY (CAST(:states AS text[]))
                     AND posthorn_is_asked_for(x, CAST(:destination AS text), CAST(:type AS text), CAST(:reason AS text),
                                               CAST(:aggregateType AS text), CAST(:key AS text), CAST(:from AS timestamptz),
                                               CAST(:to AS timestamptz), NULL, CAST(:headers AS jsonb),
                                               CAST(:fingerprint AS text), CAST(:messageId AS uuid))
                     AND (CAST(:error AS text) IS NULL
                          OR lower(error COLLATE "C")
                               LIKE '%' || regexp_replace(lower(CAST(:error AS text) COLLATE "C"), '([\\\\%_])', '\\\\\\1', 'g')
                                      || '%')
                   GROUP BY fingerprint, type, destination) part
           GROUP BY fingerprint
           ORDER BY letters DESC, fingerprint
           LIMIT :limit
          """);

  private static final Sql NEWEST =
      Sql.of(
          "read newest of causes",
          """
          SELECT f.fingerprint, d.last_reason, d.error
            FROM unnest(CAST(:fingerprints AS text[])) AS f (fingerprint)
           CROSS JOIN LATERAL
                 (SELECT last_reason, error
                    FROM posthorn_dead
                   WHERE fingerprint = f.fingerprint
                   ORDER BY created_at DESC
                   LIMIT 1) d
          """);

  private static final Sql DAYS =
      Sql.of(
          "count causes per day",
          """
          SELECT fingerprint, CAST(created_at AT TIME ZONE 'UTC' AS date) AS day, count(*)
            FROM posthorn_dead
           WHERE fingerprint = ANY (CAST(:fingerprints AS text[]))
           GROUP BY fingerprint, day
          """);

  // Reads all letters once, from an index alone; the aggregation that remains is small. A day is a
  // number here, which halves the server's work compared with a date.
  private static final Sql COUNTS =
      Sql.of(
          "count dead letters",
          """
          SELECT state, last_reason, type, floor(date_part('epoch', created_at) / 86400)::int AS day,
                 floor(date_part('epoch', statement_timestamp()) / 86400)::int AS today,
                 count(*) AS letters, min(created_at) AS oldest
            FROM posthorn_dead
           WHERE state IN ('DEAD', 'REQUEUED', 'SENT', 'DISCARDED')
           GROUP BY state, last_reason, type, day
          """);

  private static final Sql RESCUES =
      Sql.of(
          "count rescues",
          """
          SELECT count(*) AS requeued,
                 count(*) FILTER (WHERE outcome = 'SENT') AS sent,
                 count(*) FILTER (WHERE outcome = 'DEAD') AS dead
            FROM posthorn_dead
           WHERE requeued_at IS NOT NULL
          """);

  private final Database database;

  public DeadLetterRankings(Database database) {
    this.database = database;
  }

  private record Counted(
      String fingerprint,
      long letters,
      Instant first,
      Instant last,
      List<String> types,
      List<String> destinations) {}

  private record NewestLetter(String reason, String error) {}

  public List<Cause> causes(DeadLetterQuery asked, int limit) {
    List<Counted> counted =
        database.ask(
            "ranking causes",
            CAUSES,
            query ->
                DeadLetterReader.set(query, asked)
                    .set("limit", limit)
                    .rows(DeadLetterRankings::counted));
    List<String> fingerprints = counted.stream().map(Counted::fingerprint).toList();
    Map<String, NewestLetter> newest = newest(fingerprints);
    Map<String, SortedMap<LocalDate, Long>> days = days(fingerprints);
    Map<String, CauseNote> notes = new CauseNotes(database).find(fingerprints);
    List<Cause> causes = new ArrayList<>();
    for (Counted cause : counted) {
      // Letters may be removed between the statements; then their cause is gone, too.
      NewestLetter example = newest.get(cause.fingerprint);
      if (example != null) {
        causes.add(
            new Cause(
                cause.fingerprint,
                cause.letters,
                example.reason,
                example.error,
                cause.first,
                cause.last,
                cause.types,
                cause.destinations,
                days.getOrDefault(cause.fingerprint, new TreeMap<>()),
                notes.get(cause.fingerprint)));
      }
    }
    return causes;
  }

  private static Counted counted(ResultSet row) throws SQLException {
    return new Counted(
        row.getString("fingerprint"),
        row.getLong("letters"),
        Times.instant(row, "first_seen"),
        Times.instant(row, "last_seen"),
        List.of((String[]) row.getArray("types").getArray()),
        List.of((String[]) row.getArray("destinations").getArray()));
  }

  private Map<String, NewestLetter> newest(List<String> fingerprints) {
    Map<String, NewestLetter> found = new LinkedHashMap<>();
    database.ask(
        "reading causes",
        NEWEST,
        query ->
            query
                .setTexts("fingerprints", fingerprints)
                .rows(
                    row ->
                        found.put(
                            row.getString(1),
                            new NewestLetter(row.getString(2), row.getString(3)))));
    return found;
  }

  private Map<String, SortedMap<LocalDate, Long>> days(List<String> fingerprints) {
    Map<String, SortedMap<LocalDate, Long>> found = new LinkedHashMap<>();
    database.ask(
        "counting causes per day",
        DAYS,
        query ->
            query
                .setTexts("fingerprints", fingerprints)
                .rows(
                    row ->
                        found
                            .computeIfAbsent(row.getString(1), key -> new TreeMap<>())
                            .put(row.getObject(2, LocalDate.class), row.getLong(3))));
    return found;
  }

  private record Rescues(long requeued, long sent, long dead) {}

  public DeadLetterFigures figures(int days) {
    DeadLetterTally tally = new DeadLetterTally(days);
    database.ask(
        "counting dead letters",
        COUNTS,
        query ->
            query.rows(
                row -> {
                  tally.add(row);
                  return tally;
                }));
    Rescues rescues =
        database.ask(
            "counting rescues",
            RESCUES,
            query ->
                Objects.requireNonNull(
                    query.first(
                        row ->
                            new Rescues(
                                row.getLong("requeued"),
                                row.getLong("sent"),
                                row.getLong("dead")))));
    return tally.figures(rescues.requeued, rescues.sent, rescues.dead);
  }
}
