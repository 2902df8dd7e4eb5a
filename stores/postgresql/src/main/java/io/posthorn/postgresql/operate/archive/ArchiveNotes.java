package io.posthorn.postgresql.operate.archive;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * How far an archive has read each leaf of the log. The database stores this itself, because a
 * snapshot is meaningless on a server with another history.
 */
public final class ArchiveNotes {
  private static final String NOTHING = "1:1:";

  private static final Sql READ =
      Sql.of(
          "read archive notes",
          """
          SELECT s1, s2, last_tx::text AS last_tx, last_seq,
                 pg_snapshot_xmax(coalesce(s2, s1)) > pg_snapshot_xmax(pg_current_snapshot()) AS ahead
            FROM posthorn_archived
           WHERE archive = :archive
             AND leaf = :leaf
          """);

  // Every message that s1 does not see has a transaction at or above the xmin of s1, so reading
  // begins there. A crash must not lose what this snapshot sees, so the transaction that stores it
  // commits synchronously, and reading starts only afterwards.
  private static final Sql OPEN =
      Sql.of(
          "open archive window",
          """
          INSERT INTO posthorn_archived AS a (archive, leaf, s1, s2, last_tx)
          VALUES (:archive, :leaf, CAST(:s1 AS pg_snapshot), pg_current_snapshot(),
                  pg_snapshot_xmin(CAST(:s1 AS pg_snapshot)))
              ON CONFLICT (archive, leaf) DO UPDATE
             SET s1 = excluded.s1,
                 s2 = excluded.s2,
                 last_tx = excluded.last_tx,
                 last_seq = 0,
                 changed_at = clock_timestamp()
           WHERE a.s2 IS NULL
              OR pg_snapshot_xmax(a.s2) > pg_snapshot_xmax(pg_current_snapshot())
          """);

  // Advances only from the position that was read, because another purge may archive at the same
  // time.
  private static final Sql ADVANCE =
      Sql.of(
          "note archived",
          """
          UPDATE posthorn_archived
             SET last_tx = CAST(:newTx AS xid8),
                 last_seq = :newSeq,
                 messages = messages + :messages,
                 changed_at = clock_timestamp()
           WHERE archive = :archive
             AND leaf = :leaf
             AND s2::text = :s2
             AND last_tx = CAST(:tx AS xid8)
             AND last_seq = :seq
          """);

  private static final Sql CLOSE =
      Sql.of(
          "close archive window",
          """
          UPDATE posthorn_archived
             SET s1 = s2,
                 s2 = NULL,
                 changed_at = clock_timestamp()
           WHERE archive = :archive
             AND leaf = :leaf
             AND s2::text = :s2
             AND last_tx = CAST(:tx AS xid8)
             AND last_seq = :seq
          """);

  private static final Sql USE =
      Sql.of(
          "note archive",
          """
          INSERT INTO posthorn_archived (archive, leaf, s1)
          VALUES (:archive, '', CAST(:s1 AS pg_snapshot))
              ON CONFLICT (archive, leaf) DO NOTHING
          """);

  private static final Sql FORGET =
      Sql.of("forget archive", "DELETE FROM posthorn_archived WHERE archive = :archive");

  private static final Sql FORGET_LETTERS =
      Sql.of(
          "forget letters of archive",
          "DELETE FROM posthorn_archived_letter WHERE archive = :archive");

  /**
   * @param s1 the archive has everything that this snapshot sees
   * @param s2 the archive is receiving what this snapshot sees; null if no window is open
   */
  record Note(String s1, @Nullable String s2, String tx, long seq) {}

  private final Database database;
  private final String archive;

  public ArchiveNotes(Database database, String archive) {
    this.database = database;
    this.archive = archive;
  }

  static Note read(Database.Tx tx, String archive, Ring.Leaf leaf) throws SQLException {
    record Found(Note note, boolean ahead) {}
    try (Query query = tx.query(READ)) {
      Found found =
          query
              .set("archive", archive)
              .set("leaf", leaf.table())
              .first(
                  row ->
                      new Found(
                          new Note(
                              row.getString("s1"),
                              row.getString("s2"),
                              row.getString("last_tx"),
                              row.getLong("last_seq")),
                          row.getBoolean("ahead")));
      // Notes of a server with another history do not count: here nothing is archived.
      return found == null || found.ahead ? new Note(NOTHING, null, "0", 0) : found.note;
    }
  }

  Note read(Ring.Leaf leaf) {
    return database.transaction(
        "reading how far " + leaf.table() + " is archived", tx -> read(tx, archive, leaf));
  }

  /** Opens a window: everything committed by now is archived next. */
  void open(Ring.Leaf leaf, Note from) {
    write(
        OPEN, query -> set(query, leaf).set("s1", from.s1), "beginning to archive " + leaf.table());
  }

  /** Stores the new position. Returns false if another purge has moved it already. */
  boolean advance(Ring.Leaf leaf, Note from, String tx, long seq, int messages) {
    return write(
        ADVANCE,
        query ->
            set(query, leaf)
                .set("s2", from.s2)
                .set("tx", from.tx)
                .set("seq", from.seq)
                .set("newTx", tx)
                .set("newSeq", seq)
                .set("messages", messages),
        "noting how far " + leaf.table() + " is archived");
  }

  void close(Ring.Leaf leaf, Note at) {
    write(
        CLOSE,
        query -> set(query, leaf).set("s2", at.s2).set("tx", at.tx).set("seq", at.seq),
        "noting that " + leaf.table() + " is archived");
  }

  /** Marks the archive as in use: from now on, nothing is removed before this archive has it. */
  void use() {
    write(
        USE,
        query -> query.set("archive", archive).set("s1", NOTHING),
        "noting archive '" + archive + "'");
  }

  public boolean forget(Actor by) {
    return database.transaction(
        "forgetting archive '" + archive + "'",
        tx -> {
          boolean done;
          try (Query query = tx.query(FORGET)) {
            done = query.set("archive", archive).update() > 0;
          }
          try (Query query = tx.query(FORGET_LETTERS)) {
            query.set("archive", archive).update();
          }
          if (done) {
            AuditLog.write(tx, by, "archive.forget", archive, null, null);
          }
          return done;
        });
  }

  private Query set(Query query, Ring.Leaf leaf) throws SQLException {
    return query.set("archive", archive).set("leaf", leaf.table());
  }

  private boolean write(Sql sql, Database.Read<Query> values, String what) {
    return database.transaction(
        what,
        tx -> {
          try (Query query = tx.query(sql)) {
            return values.run(query).update() > 0;
          }
        });
  }
}
