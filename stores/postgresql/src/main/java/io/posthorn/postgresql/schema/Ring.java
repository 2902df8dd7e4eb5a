package io.posthorn.postgresql.schema;

import io.posthorn.postgresql.sql.Sql;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** A table that is a ring of leaves, one for each day modulo their number. */
public final class Ring {
  // The row with the highest number is the newest, because the time is taken right after the number
  // is drawn. A destination has passed a leaf if its progress of an hour ago has, because by then
  // every reader that ran at that time has ended.
  public static final Ring LOG =
      new Ring(
          "posthorn_log",
          """
          SELECT 1
            FROM (SELECT recorded_at FROM %s ORDER BY seq DESC LIMIT 1) newest
           WHERE recorded_at > clock_timestamp() - make_interval(secs => :retention)
          """,
          """
          SELECT DISTINCT ON (l.destination)
                 l.destination, behind.messages AS behind, newest.at::text AS since
            FROM posthorn_lane l
            JOIN posthorn_destination d ON d.name = l.destination
           CROSS JOIN LATERAL
                 (SELECT p.at
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                   ORDER BY p.n DESC
                   LIMIT 1) newest
            LEFT JOIN LATERAL
                 (SELECT p.s1
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                     AND p.n > d.first_n
                     AND p.at < clock_timestamp() - make_interval(secs => :settled)
                   ORDER BY p.n DESC
                   LIMIT 1) c ON true
           CROSS JOIN LATERAL
                 (SELECT count(*) AS messages
                    FROM (SELECT 1
                            FROM %s m
                           WHERE m.tx >= coalesce(pg_snapshot_xmin(c.s1), CAST('0' AS xid8))
                             AND pg_visible_in_snapshot(m.tx, c.s1) IS NOT TRUE
                           LIMIT 10000) found) behind
           WHERE c.s1 IS NULL
              OR behind.messages > 0
              -- The cursor knows transactions that this server has not had, so every row would count as passed.
              OR pg_snapshot_xmax(c.s1) > pg_snapshot_xmax(pg_current_snapshot())
           ORDER BY l.destination, behind.messages DESC, newest.at
          """,
          "destination '%s' has not passed it, or passed it less than an hour ago (%,d messages; its last progress was at %s)");

  static final Ring PROGRESS =
      new Ring(
          "posthorn_progress",
          """
          SELECT 1
            FROM posthorn_lane l
           CROSS JOIN LATERAL
                 (SELECT p.at
                    FROM %s p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                   ORDER BY p.n DESC
                   LIMIT 1) newest
           WHERE newest.at > clock_timestamp() - make_interval(secs => :retention)
          """,
          """
          SELECT DISTINCT ON (l.destination)
                 l.destination, 0 AS behind, coalesce(settled.at, newest.at)::text AS since
            FROM posthorn_lane l
            JOIN posthorn_destination d ON d.name = l.destination
           CROSS JOIN LATERAL
                 (SELECT p.n, p.at
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                   ORDER BY p.n DESC
                   LIMIT 1) newest
            LEFT JOIN LATERAL
                 (SELECT p.n, p.at
                    FROM posthorn_progress p
                   WHERE p.destination = l.destination
                     AND p.lane = l.lane
                     AND p.n > d.first_n
                     AND p.at < clock_timestamp() - make_interval(secs => :settled)
                   ORDER BY p.n DESC
                   LIMIT 1) settled ON true
           WHERE EXISTS (SELECT 1
                           FROM %s m
                          WHERE m.destination = l.destination
                            AND m.lane = l.lane
                            AND m.n >= coalesce(settled.n, newest.n))
           ORDER BY l.destination, coalesce(settled.at, newest.at)
          """,
          "it holds the current progress of destination '%1$s'");

  /** The number of leaves that the migration creates. */
  public static final int LEAVES = 16;

  /** A leaf is never emptied on its own day, the day before or the day after. */
  public static final int MARGIN = 3;

  private static final String LOOK = "SELECT 1 FROM %s LIMIT 1";

  private static final String USERS =
      """
      SELECT format('process %%s of user %%s, application "%%s", open since %%s, for %%s s',
                    a.pid, a.usename, a.application_name, a.xact_start,
                    round(date_part('epoch', clock_timestamp() - a.xact_start)))
        FROM pg_locks l
        JOIN pg_stat_activity a ON a.pid = l.pid
       WHERE l.relation = to_regclass('%s')
         AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND l.granted
         AND a.pid <> pg_backend_pid()
       ORDER BY a.xact_start
       LIMIT 1
      """;

  /**
   * One leaf, and the questions about it.
   *
   * @param look whether the leaf has any row
   * @param young whether it has a row younger than {@code :retention}
   * @param needed who needs the leaf, or needed it {@code :settled} ago; how many of its messages,
   *     up to 10,000; and since when
   * @param users which session has locked it
   */
  public record Leaf(String table, Sql look, Sql young, Sql needed, Sql users, String whyNeeded) {}

  public static final List<Ring> ALL = List.of(LOG, PROGRESS);

  private final List<Leaf> leaves;

  private Ring(String table, String young, String needed, String whyNeeded) {
    this.leaves =
        IntStream.range(0, LEAVES)
            .mapToObj(slot -> leaf(table, slot))
            .map(
                leaf ->
                    new Leaf(
                        leaf,
                        look(leaf),
                        Sql.of("date leaf", young.formatted(leaf)),
                        Sql.of("check leaf", needed.formatted(leaf)),
                        users(leaf),
                        whyNeeded))
            .toList();
  }

  /** Returns the name of a leaf. ROOT, because some languages have other digits. */
  static String leaf(String table, int slot) {
    return String.format(Locale.ROOT, "%s_%02d", table, slot);
  }

  /** Returns a query whether a table has any row. */
  public static Sql look(String table) {
    return Sql.of("look into leaf", LOOK.formatted(table));
  }

  /** Returns a query for the oldest transaction that has locked a table. */
  public static Sql users(String table) {
    return Sql.of("find users of leaf", USERS.formatted(table));
  }

  public Leaf leaf(int slot) {
    return leaves.get(slot);
  }
}
