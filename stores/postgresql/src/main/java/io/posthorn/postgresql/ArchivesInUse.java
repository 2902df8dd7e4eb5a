package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** An archive that was once used is binding until a person forgets it: nothing goes without it. */
final class ArchivesInUse {
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

  /** For whoever is about to empty the log as a whole, and holds its lock. */
  static void refuseToEmptyTheLog(Database.Tx tx) throws SQLException {
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
          "the database was not adopted: that empties the log, which has %,d messages, and what an archive in use (%s) has of them is not known here. Copy posthorn_log if they must be kept; then run %s and adopt again. Relays that are configured with an archive use it again by themselves."
              .formatted(messages, String.join(", ", names), forget(names)));
    }
  }

  /** What a person runs to end their use. */
  static String forget(List<String> names) {
    return names.stream()
        .map("'posthorn retention forget \"%s\" --why TEXT'"::formatted)
        .collect(Collectors.joining(" and "));
  }
}
