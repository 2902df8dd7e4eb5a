package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.figures.DestinationFigures;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Reads the figures of the whole database for metrics. Each statement runs every few seconds as
 * long as a relay lives, so none reads more than about 10,000 rows of a destination, and each uses
 * an index.
 */
public final class FiguresReader {
  // Counts messages in the log and parked messages in one statement, so that a message that moves
  // between them is counted once.
  static final Sql DESTINATIONS =
      Sql.of(
          "figures of destinations",
          """
          SELECT g.destination, g.pending, g.estimated,
                 greatest(0, date_part('epoch', statement_timestamp()
                                                  - least(g.oldest_at, parked.due, scheduled.due))) AS oldest_age,
                 g.at_most AND g.oldest_at <= least(g.oldest_at, parked.due, scheduled.due) AS at_most,
                 (SELECT count(*)
                    FROM (SELECT 1
                            FROM posthorn_parked p
                           WHERE p.destination = g.destination
                             AND p.position >= coalesce(e.position, 0)
                             AND p.waiting <> 'TIME'
                           ORDER BY p.position
                           LIMIT 10001) p) AS parked,
                 (SELECT count(*)
                    FROM (SELECT 1
                            FROM posthorn_parked p
                           WHERE p.destination = g.destination
                             AND p.next_attempt_at >= coalesce(e.due, '-infinity')
                             AND p.waiting = 'TIME'
                           ORDER BY p.next_attempt_at
                           LIMIT 10001) p) AS scheduled,
                 (SELECT count(*)
                    FROM (SELECT 1
                            FROM posthorn_held h
                           WHERE h.destination = g.destination
                             AND NOT h.paused
                           LIMIT 10001) h) AS held,
                 NOT EXISTS (SELECT 1
                               FROM posthorn_lane l
                               LEFT JOIN posthorn_relay r ON r.id = l.relay AND r.expires_at > statement_timestamp()
                              WHERE l.destination = g.destination
                                AND r.id IS NULL) AS served,
                 g.destination <> 'unrouted'
                   AND EXISTS (SELECT 1
                                 FROM posthorn_pause p
                                WHERE p.destination IN (g.destination, '*')
                                  AND p.type = '*') AS paused,
                 NOT EXISTS (SELECT 1 FROM posthorn_breaker b WHERE b.destination = g.destination) AS answers
            FROM posthorn_backlog_now g
            LEFT JOIN LATERAL posthorn_edges(g.destination) e ON true
            LEFT JOIN LATERAL
                 (SELECT greatest(p.recorded_at, p.not_before) AS due
                    FROM posthorn_parked p
                   WHERE p.destination = g.destination
                     AND greatest(p.recorded_at, p.not_before) >= coalesce(e.oldest, '-infinity')
                     AND p.waiting <> 'TIME'
                   ORDER BY greatest(p.recorded_at, p.not_before)
                   LIMIT 1) parked ON true
            LEFT JOIN LATERAL
                 (SELECT greatest(p.recorded_at, p.not_before) AS due
                    FROM posthorn_parked p
                   WHERE p.destination = g.destination
                     AND p.waiting = 'TIME'
                     AND p.next_attempt_at <= statement_timestamp()
                     AND p.next_attempt_at >= coalesce(e.due, '-infinity')
                   ORDER BY p.next_attempt_at
                   LIMIT 1) scheduled ON true
          """);

  // Reasons for waiting and keys need the rows themselves, so for large numbers they are
  // extrapolated from a sample. It groups by key first; otherwise the server would sort the
  // distinct keys again for each figure.
  static final Sql PARKED =
      Sql.of(
          "figures of parked",
          """
          SELECT k.destination, sum(k.messages) AS messages, count(k.key) AS keys, sum(k.retry) AS retry,
                 sum(k.turn) AS turn, sum(k.behind) AS behind, sum(k.time) AS time, sum(k.code) AS code, sum(k.route) AS route,
                 sum(k.paused) AS paused, sum(k.answer) AS answer
            FROM (SELECT d.name AS destination, p.key, count(*) AS messages,
                         count(*) FILTER (WHERE p.waiting = 'RETRY') AS retry,
                         count(*) FILTER (WHERE p.waiting = 'TURN') AS turn,
                         count(*) FILTER (WHERE p.waiting = 'BEHIND') AS behind,
                         count(*) FILTER (WHERE p.waiting = 'TIME') AS time,
                         count(*) FILTER (WHERE p.waiting = 'CODE') AS code,
                         count(*) FILTER (WHERE p.waiting = 'ROUTE') AS route,
                         count(*) FILTER (WHERE p.waiting = 'PAUSED') AS paused,
                         count(*) FILTER (WHERE p.waiting = 'ANSWER') AS answer
                    FROM unnest(CAST(:names AS text[]), CAST(:looks AS bigint[]), CAST(:scheduledLooks AS bigint[]))
                           AS d (name, looks, scheduled_looks)
                    LEFT JOIN LATERAL posthorn_edges(d.name) e ON true
                   CROSS JOIN LATERAL
                         ((SELECT p.waiting, p.aggregate_type, p.key
                             FROM posthorn_parked p
                            WHERE p.destination = d.name
                              AND p.position >= coalesce(e.position, 0)
                              AND p.waiting <> 'TIME'
                            ORDER BY p.position
                            LIMIT d.looks)
                          UNION ALL
                          (SELECT p.waiting, p.aggregate_type, p.key
                             FROM posthorn_parked p
                            WHERE p.destination = d.name
                              AND p.next_attempt_at >= coalesce(e.due, '-infinity')
                              AND p.waiting = 'TIME'
                            ORDER BY p.next_attempt_at
                            LIMIT d.scheduled_looks)) p
                   GROUP BY d.name, p.aggregate_type, p.key) k
           GROUP BY k.destination
          """);

  /** The size of the sample if there are too many rows. */
  private static final long PART = 300;

  private static final Sql RELAYS =
      Sql.of(
          "count relays",
          """
          SELECT count(*)
            FROM posthorn_relay
           WHERE expires_at > statement_timestamp()
          """);

  private static final Sql ALL_PARKED =
      Sql.of(
          "estimate parked",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_parked WHERE destination = :destination");

  private static final Sql ALL_HELD =
      Sql.of(
          "estimate held",
          "EXPLAIN (FORMAT JSON) SELECT 1 FROM posthorn_held WHERE destination = :destination AND NOT paused");

  private final Database database;

  public FiguresReader(Database database) {
    this.database = database;
  }

  public Figures figures(RetentionTimes times) {
    return database.reads(
        "reading figures",
        tx -> {
          LetterFigures letters = LetterFigures.read(tx);
          return new Figures(
              destinations(tx, letters),
              relays(tx),
              letters.all(),
              RescueFigures.read(tx),
              ExpiringFigures.read(tx, times.dead()),
              RetentionFigures.read(tx, times.sent()));
        });
  }

  private static long relays(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(RELAYS)) {
      return Objects.requireNonNull(query.first(row -> row.getLong(1)));
    }
  }

  /** What the sampled parked messages of a destination wait for, and the number of their keys. */
  private record Parked(Map<Waiting, Long> messages, long looked, long keys) {
    static final Parked NONE = new Parked(Map.of(), 0, 0);

    static Parked of(ResultSet row) throws SQLException {
      Map<Waiting, Long> messages = new EnumMap<>(Waiting.class);
      for (Waiting waiting : Waiting.values()) {
        long waits = row.getLong(waiting.name());
        if (waits > 0) {
          messages.put(waiting, waits);
        }
      }
      return new Parked(messages, row.getLong("messages"), row.getLong("keys"));
    }
  }

  private static Map<String, Parked> parked(Database.Tx tx, List<Row> rows) throws SQLException {
    Map<String, Parked> found = new HashMap<>();
    List<Row> some = rows.stream().filter(row -> row.all() > 0).toList();
    if (some.isEmpty()) {
      return found;
    }
    try (Query query = tx.query(PARKED)) {
      query
          .setTexts("names", some.stream().map(Row::name).toList())
          .setLongs("looks", some.stream().map(row -> row.looks(row.parked)).toList())
          .setLongs("scheduledLooks", some.stream().map(row -> row.looks(row.scheduled)).toList())
          .rows(row -> found.put(row.getString("destination"), Parked.of(row)));
    }
    return found;
  }

  private record Row(
      String name,
      Count pending,
      Duration oldest,
      boolean atMost,
      long parked,
      long scheduled,
      long held,
      boolean served,
      boolean paused,
      boolean answers) {

    static Row of(ResultSet row) throws SQLException {
      return new Row(
          row.getString("destination"),
          new Count(row.getLong("pending"), row.getBoolean("estimated")),
          Duration.ofMillis(Math.round(row.getDouble("oldest_age") * 1000)),
          row.getBoolean("at_most"),
          row.getLong("parked"),
          row.getLong("scheduled"),
          row.getLong("held"),
          row.getBoolean("served"),
          row.getBoolean("paused"),
          row.getBoolean("answers"));
    }

    long all() {
      return parked + scheduled;
    }

    /** The sample has both kinds in proportion. */
    long looks(long of) {
      return all() > CappedCount.EXACT ? PART * of / all() : of;
    }
  }

  private static List<DestinationFigures> destinations(Database.Tx tx, LetterFigures letters)
      throws SQLException {
    List<Row> rows;
    try (Query query = tx.query(DESTINATIONS)) {
      rows = query.rows(Row::of);
    }
    Map<String, Parked> parked = parked(tx, rows);
    List<DestinationFigures> destinations = new ArrayList<>();
    for (Row row : rows) {
      Parked outside = parked.getOrDefault(row.name, Parked.NONE);
      destinations.add(figures(tx, row, outside, letters.of(row.name)));
    }
    return destinations;
  }

  private static DestinationFigures figures(Database.Tx tx, Row row, Parked parked, Count dead)
      throws SQLException {
    Count all = CappedCount.of(tx, row.all(), ALL_PARKED, "destination", row.name);
    Map<Waiting, Count> byWaiting = new EnumMap<>(Waiting.class);
    parked.messages.forEach(
        (waiting, messages) ->
            byWaiting.put(waiting, CappedCount.part(messages, parked.looked, all)));
    return new DestinationFigures(
        row.name,
        row.pending.plus(all),
        row.oldest,
        row.atMost,
        byWaiting,
        CappedCount.part(parked.keys, parked.looked, all),
        CappedCount.of(tx, row.held, ALL_HELD, "destination", row.name),
        dead,
        row.served,
        row.paused,
        row.answers);
  }
}
