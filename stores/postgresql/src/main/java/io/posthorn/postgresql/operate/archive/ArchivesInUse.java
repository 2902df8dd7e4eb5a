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

/** An archive that was once used is binding until a person forgets it: nothing goes without it. */
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
   * For whoever is about to purge: whoever has no archive must not remove what another was told to
   * archive.
   */
  public static void use(Database database, Archive archive) {
    if (archive != Archive.NONE) {
      new ArchiveNotes(database, archive.name()).use();
    }
    List<String> others = database.reads("looking for archives", tx -> others(tx, archive));
    if (others.isEmpty()) {
      return;
    }
    if (archive == Archive.NONE) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "nothing was purged: %s in use for this database, and whoever purges here has none configured. Configure it here too, or end its use with %s."
              .formatted(are(others), forget(others)));
    }
    LOG.warn(
        "Retention with archive '{}': {} in use too. Messages and dead letters are removed only when each has them. End the use of those that nobody purges with: {}",
        archive.name(),
        are(others),
        forget(others));
  }

  /** Those that this one must not remove anything without. */
  public static List<String> others(Database.Tx tx, Archive archive) throws SQLException {
    return names(tx).stream().filter(name -> !name.equals(archive.name())).toList();
  }

  /** A leaf stays until all of them have it, and the one of whoever asks. */
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
            "archive '%s' does not have all of it yet; the next purge with that archive goes on"
                .formatted(name));
      }
    }
    return reasons;
  }

  /** For whoever is about to empty the log as a whole, and holds its lock. */
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
          ErrorCode.ARCHIVE_FAILED,
          "the database was not adopted: that empties the log, which has %,d messages, and %s in use; what is archived of them is not known here. Copy posthorn_log if they must be kept; then run %s and adopt again. Relays that are configured with an archive use it again by themselves."
              .formatted(messages, are(names), forget(names)));
    }
  }

  /** The beginning of a sentence about them. */
  static String are(List<String> names) {
    return (names.size() == 1 ? "archive '%s' is" : "archives '%s' are")
        .formatted(String.join("', '", names));
  }

  /** What a person runs to end their use. */
  static String forget(List<String> names) {
    return names.stream()
        .map("'posthorn retention forget \"%s\" --why TEXT'"::formatted)
        .collect(Collectors.joining(" and "));
  }
}
