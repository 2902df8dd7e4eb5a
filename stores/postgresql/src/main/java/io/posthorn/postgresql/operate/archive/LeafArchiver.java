package io.posthorn.postgresql.operate.archive;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Copies the messages of a leaf to an archive. It needs no lock, because messages never change. A
 * message whose transaction commits late is found by its transaction, as by any cursor, so it is
 * archived before the leaf is emptied.
 */
public final class LeafArchiver {
  private static final int MESSAGES = 5_000;
  private static final long BYTES = 8L << 20;

  private static final String LINES =
      """
      SELECT tx, seq, day,
             jsonb_build_object(
               'seq', seq, 'id', id, 'recorded_at', recorded_at, 'type', type, 'schema_version', schema_version,
               'aggregate_type', aggregate_type, 'key', key,
               'payload', translate(encode(payload, 'base64'), E'\\n', ''),
               'content_type', content_type, 'headers', headers, 'cipher_key', cipher_key,
               'occurred_at', occurred_at, 'not_before', not_before)::text AS line
        FROM (SELECT m.tx, m.seq, m.recorded_at::date AS day, m.id, m.recorded_at, m.type, m.schema_version,
                     m.aggregate_type, m.key, m.payload, m.content_type, m.headers, m.cipher_key, m.occurred_at,
                     m.not_before,
                     sum(octet_length(m.payload) + pg_column_size(m.headers || '{}') - 8)
                       OVER (ORDER BY m.tx, m.seq ROWS UNBOUNDED PRECEDING)
                       - octet_length(m.payload) - pg_column_size(m.headers || '{}') + 8 AS bytes_before
                FROM (SELECT l.tx, l.seq, l.id, l.recorded_at, l.type, l.schema_version,
                             posthorn_key_type(l.aggregate_type, l.key) AS aggregate_type, l.key, l.payload,
                             l.content_type, l.headers, l.cipher_key, l.occurred_at, l.not_before
                        FROM %s l
                       WHERE (l.tx, l.seq) > (CAST(:tx AS xid8), :seq)
                         AND pg_visible_in_snapshot(l.tx, (SELECT CAST(:s2 AS pg_snapshot)))
                         AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
                       ORDER BY l.tx, l.seq
                       LIMIT :messages) m) sized
       WHERE bytes_before < :bytes
       ORDER BY tx, seq
      """;

  private static final String UNARCHIVED =
      """
      SELECT 1
        FROM %s l
       WHERE l.tx >= pg_snapshot_xmin(CAST(:s1 AS pg_snapshot))
         AND NOT pg_visible_in_snapshot(l.tx, (SELECT CAST(:s1 AS pg_snapshot)))
       LIMIT 1
      """;

  private static final Map<String, Sql> LINES_OF = each("read lines of leaf", LINES);
  private static final Map<String, Sql> UNARCHIVED_OF = each("find unarchived", UNARCHIVED);

  private static Map<String, Sql> each(String name, String text) {
    Map<String, Sql> all = new HashMap<>();
    for (int slot = 0; slot < Ring.LEAVES; slot++) {
      String leaf = Ring.LOG.leaf(slot).table();
      all.put(leaf, Sql.of(name, text.formatted(leaf)));
    }
    return Map.copyOf(all);
  }

  /** A message as a line, with its position in the order of archiving. */
  private record MessageLine(String tx, long seq, LocalDate day, String json) {}

  private final Database database;
  private final Archive archive;
  private final ArchiveNotes notes;
  private final PurgeProgress purging;
  private long archived;

  public LeafArchiver(Database database, Archive archive, PurgeProgress purging) {
    this.database = database;
    this.archive = archive;
    this.notes = new ArchiveNotes(database, archive.name());
    this.purging = purging;
  }

  /** Returns the number of messages archived so far. */
  public long archived() {
    return archived;
  }

  /**
   * Archives everything that is committed by now and not archived yet. It may stop earlier, when
   * the purge is ended.
   */
  public void archive(Ring.Leaf leaf) {
    ArchiveNotes.Note note = notes.read(leaf);
    while (note.s2() != null || misses(leaf, note.s1())) {
      if (note.s2() == null) {
        notes.open(leaf, note);
      } else if (!purging.goOn(
          "archiving %s, %,d messages so far".formatted(leaf.table(), archived))) {
        return;
      } else {
        page(leaf, note, note.s2());
      }
      note = notes.read(leaf);
    }
  }

  private void page(Ring.Leaf leaf, ArchiveNotes.Note note, String s2) {
    List<MessageLine> lines = read(leaf, note, s2);
    if (lines.isEmpty()) {
      notes.close(leaf, note);
      return;
    }
    long first = lines.stream().mapToLong(MessageLine::seq).min().getAsLong();
    archive.append(
        new Part(
            Part.Kind.MESSAGES,
            lines.get(0).day,
            first,
            lines.stream().map(MessageLine::json).toList()));
    MessageLine last = lines.get(lines.size() - 1);
    if (notes.advance(leaf, note, last.tx, last.seq, lines.size())) {
      archived += lines.size();
    }
  }

  private List<MessageLine> read(Ring.Leaf leaf, ArchiveNotes.Note note, String s2) {
    return database.transaction(
        "reading " + leaf.table() + " to archive it",
        tx -> {
          // Times become texts; in UTC they are the same for every session that archives.
          tx.execute("SET LOCAL TimeZone = 'UTC'");
          try (Query query = tx.query(Objects.requireNonNull(LINES_OF.get(leaf.table())))) {
            return query
                .set("s1", note.s1())
                .set("s2", s2)
                .set("tx", note.tx())
                .set("seq", note.seq())
                .set("messages", MESSAGES)
                .set("bytes", BYTES)
                .rows(
                    row ->
                        new MessageLine(
                            row.getString("tx"),
                            row.getLong("seq"),
                            Objects.requireNonNull(row.getObject("day", LocalDate.class)),
                            row.getString("line")));
          }
        });
  }

  private boolean misses(Ring.Leaf leaf, String s1) {
    return database.transaction(
        "comparing " + leaf.table() + " with its archive", tx -> misses(tx, leaf, s1));
  }

  /** Returns whether the leaf has messages that an archive with everything in s1 lacks. */
  static boolean misses(Database.Tx tx, Ring.Leaf leaf, String s1) throws SQLException {
    try (Query query = tx.query(Objects.requireNonNull(UNARCHIVED_OF.get(leaf.table())))) {
      return query.set("s1", s1).any();
    }
  }
}
