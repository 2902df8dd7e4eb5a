package io.posthorn.postgresql.lane;

import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.UUID;

/**
 * Writes a lane's progress. The table is append-only, because a row updated for each batch bloats
 * while any transaction holds an old snapshot.
 */
public final class Progress {
  private static final Sql OPEN =
      Sql.of(
          "write progress",
          """
          INSERT INTO posthorn_progress
                 (destination, lane, id, s1, low1, s2, low2, high2, last_seq, ahead)
          VALUES (:destination, :lane, :id, CAST(:s1 AS pg_snapshot), :low1,
                  CAST(:s2 AS pg_snapshot), :low2, :high2, :last, :ahead)
          """);

  private static final Sql CLOSED =
      Sql.of(
          "write closed progress",
          """
          INSERT INTO posthorn_progress
                 (destination, lane, id, s1, low1, last_seq)
          VALUES (:destination, :lane, :id, CAST(:s1 AS pg_snapshot), :low1, 0)
          """);

  private static final Sql CLOSED_UNFLUSHED =
      Sql.of(
          "write closed progress, unflushed",
          """
          INSERT INTO posthorn_progress
                 (destination, lane, id, s1, low1, last_seq)
          SELECT :destination, :lane, :id, CAST(:s1 AS pg_snapshot), :low1, 0
           WHERE set_config('synchronous_commit', 'off', true) IS NOT NULL
          """);

  // The row keeps the time of the row before: its age tells how long the lane has stood there, and
  // an empty window is stored once that age reaches an hour.
  private static final Sql SAME =
      Sql.of(
          "write progress again",
          """
          INSERT INTO posthorn_progress
                 (destination, lane, id, at, s1, low1, s2, low2, high2, last_seq, ahead)
          VALUES (:destination, :lane, :id, CAST(:at AS timestamptz), CAST(:s1 AS pg_snapshot), :low1,
                  CAST(:s2 AS pg_snapshot), :low2, :high2, :last, :ahead)
          """);

  private Progress() {}

  /**
   * Writes the same as {@link #open} as the last statement of the transaction, together with its
   * commit.
   */
  public static void commitOpen(
      Database.Tx tx, Lane lane, UUID id, Window window, long last, List<Long> ahead)
      throws SQLException {
    tx.commitWith(setOpen(tx.commitQuery(OPEN), lane, id, window, last, ahead));
  }

  /**
   * Writes the same as {@link #closed} as the last statement of the transaction, together with its
   * commit.
   */
  public static void commitClosed(Database.Tx tx, Lane lane, UUID id, Snapshot s1, long low1)
      throws SQLException {
    tx.commitWith(
        setClosed(tx.commitQuery(CLOSED), lane.destination(), lane.number(), id, s1, low1));
  }

  /**
   * Writes the same as {@link #closed} and commits without waiting for the disk; the commit that
   * opens the next window flushes it, too. If the server crashes before that, the settled window is
   * open again, and its messages are sent again.
   */
  public static void commitClosedUnflushed(
      Database.Tx tx, Lane lane, UUID id, Snapshot s1, long low1) throws SQLException {
    tx.commitWith(
        setClosed(
            tx.commitQuery(CLOSED_UNFLUSHED), lane.destination(), lane.number(), id, s1, low1));
  }

  /**
   * Writes the lane's unchanged cursor under a new id, as the last statement of the transaction.
   *
   * @param since the time of the row before
   */
  public static void commitSame(Database.Tx tx, Lane lane, UUID id, Cursor cursor, Instant since)
      throws SQLException {
    Window open = cursor.window();
    tx.commitWith(
        tx.commitQuery(SAME)
            .set("destination", lane.destination())
            .set("lane", lane.number())
            .set("id", id)
            .set("at", since)
            .set("s1", cursor.s1().text())
            .set("low1", cursor.low1())
            .set("s2", open == null ? null : open.s2().text())
            .set("low2", open == null ? null : open.low2())
            .set("high2", open == null ? null : open.high2())
            .set("last", cursor.last())
            .setLongs("ahead", cursor.ahead()));
  }

  /** Writes that the window is open and settled up to {@code last}. */
  public static void open(
      Database.Tx tx, Lane lane, UUID id, Window window, long last, List<Long> ahead)
      throws SQLException {
    try (Query query = tx.query(OPEN)) {
      setOpen(query, lane, id, window, last, ahead).update();
    }
  }

  private static Query setOpen(
      Query query, Lane lane, UUID id, Window window, long last, List<Long> ahead)
      throws SQLException {
    return query
        .set("destination", lane.destination())
        .set("lane", lane.number())
        .set("id", id)
        .set("s1", window.s1().text())
        .set("low1", window.low1())
        .set("s2", window.s2().text())
        .set("low2", window.low2())
        .set("high2", window.high2())
        .set("last", last)
        .setLongs("ahead", ahead);
  }

  /** Writes that everything the snapshot sees is settled. */
  public static void closed(Database.Tx tx, Lane lane, UUID id, Snapshot s1, long low1)
      throws SQLException {
    closed(tx, lane.destination(), lane.number(), id, s1, low1);
  }

  public static void closed(
      Database.Tx tx, String destination, int lane, UUID id, Snapshot s1, long low1)
      throws SQLException {
    try (Query query = tx.query(CLOSED)) {
      setClosed(query, destination, lane, id, s1, low1).update();
    }
  }

  private static Query setClosed(
      Query query, String destination, int lane, UUID id, Snapshot s1, long low1)
      throws SQLException {
    return query
        .set("destination", destination)
        .set("lane", lane)
        .set("id", id)
        .set("s1", s1.text())
        .set("low1", low1);
  }
}
