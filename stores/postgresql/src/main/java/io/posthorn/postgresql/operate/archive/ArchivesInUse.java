package io.posthorn.postgresql.operate.archive;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archives in use. Once a purge has used an archive, nothing is removed without it until a
 * person ends its use.
 */
public final class ArchivesInUse {
  private static final Logger LOG = LoggerFactory.getLogger(ArchivesInUse.class);

  private static final Sql NAMES =
      Sql.of(
          "find archives in use",
          """
          SELECT archive
            FROM posthorn_archived
           WHERE leaf = ''
           ORDER BY archive
          """);

  private static final Sql LOGGED =
      Sql.of("count messages of the log", "SELECT count(*) FROM posthorn_log");

  private ArchivesInUse() {}

  static List<String> names(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(NAMES)) {
      return query.rows(row -> row.getString(1));
    }
  }

  /**
   * Registers the archive of a purge. A purge without an archive is refused if others are in use,
   * because it would remove messages that they should get.
   */
  public static void use(Database database, Archive archive) {
    if (archive != Archive.NONE) {
      new ArchiveNotes(database, archive.name()).use();
    }
    List<String> others = database.reads("reading the archives in use", tx -> others(tx, archive));
    if (others.isEmpty()) {
      return;
    }
    if (archive == Archive.NONE) {
      throw new PosthornException(
          ErrorCode.ARCHIVE_IN_USE,
          "nothing was purged: %s in use for this database, but no archive is configured for this purge, so messages would be removed without being archived. Configure the archive here too, or end its use with %s."
              .formatted(are(others), forget(others)));
    }
    LOG.warn(
        "Retention with archive '{}' removes messages and dead letters only after the other archives have them, too: {} also in use. If no purge uses them any more, end their use: {}",
        archive.name(),
        are(others),
        forget(others));
  }

  /** Returns the other archives in use; a purge with this archive must wait for them. */
  public static List<String> others(Database.Tx tx, Archive archive) throws SQLException {
    return names(tx).stream().filter(name -> !name.equals(archive.name())).toList();
  }

  /**
   * Returns why a leaf must stay: it names each archive, including this one, that lacks messages.
   */
  public static List<String> reasonsToStay(Database.Tx tx, Ring.Leaf leaf, Archive archive)
      throws SQLException {
    Set<String> all = new TreeSet<>(names(tx));
    if (archive != Archive.NONE) {
      all.add(archive.name());
    }
    List<String> reasons = new ArrayList<>();
    for (String name : all) {
      if (LeafArchiver.misses(tx, leaf, ArchiveNotes.read(tx, name, leaf).s1())) {
        reasons.add(
            "archive '%s' does not have all of it yet; the next purge that uses it continues"
                .formatted(name));
      }
    }
    return reasons;
  }

  /**
   * Refuses to empty the whole log while an archive is in use. The caller holds the lock of the
   * log.
   */
  public static void refuseToEmptyTheLog(Database.Tx tx) throws SQLException {
    List<String> names = names(tx);
    if (names.isEmpty()) {
      return;
    }
    long messages;
    try (Query query = tx.query(LOGGED)) {
      messages = Objects.requireNonNull(query.first(row -> row.getLong(1)));
    }
    if (messages > 0) {
      throw new PosthornException(
          ErrorCode.ARCHIVE_IN_USE,
          "the database was not adopted: adopting empties the log, which has %,d messages, but %s in use, and this server does not know which of them are archived. Copy posthorn_log if you must keep them; then run %s and adopt again. Relays that are configured with an archive register it again by themselves."
              .formatted(messages, are(names), forget(names)));
    }
  }

  /** Returns the beginning of a sentence about these archives. */
  static String are(List<String> names) {
    return (names.size() == 1 ? "archive '%s' is" : "archives '%s' are")
        .formatted(String.join("', '", names));
  }

  /** Returns the commands that end their use. */
  static String forget(List<String> names) {
    return names.stream()
        .map("'posthorn retention forget \"%s\" --why TEXT'"::formatted)
        .collect(Collectors.joining(" and "));
  }
}
