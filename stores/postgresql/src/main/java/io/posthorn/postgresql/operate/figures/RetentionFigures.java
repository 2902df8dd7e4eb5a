package io.posthorn.postgresql.operate.figures;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.postgresql.operate.archive.ArchivesInUse;
import io.posthorn.postgresql.operate.retention.Retention;
import io.posthorn.postgresql.schema.Ring;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Reads how late retention is, and what it waits for. */
public final class RetentionFigures {
  private static final String NEWEST =
      """
      SELECT %1$d AS slot, posthorn_slot(statement_timestamp())::int AS today,
             (SELECT date_part('epoch', statement_timestamp() - l.recorded_at)
                FROM %2$s l
               ORDER BY l.seq DESC
               LIMIT 1) AS age
      """;

  /** Reads the age of the newest message of each leaf. */
  private static final Sql AGES =
      Sql.of(
          "date all leaves",
          IntStream.range(0, Ring.LEAVES)
              .mapToObj(slot -> NEWEST.formatted(slot, Ring.LOG.leaf(slot).table()))
              .collect(Collectors.joining("UNION ALL\n")));

  private record Age(int slot, boolean mayGo, @Nullable Duration age) {}

  private RetentionFigures() {}

  public static Figures.Retention read(Database.Tx tx, Duration retention) throws SQLException {
    Age oldest = oldest(tx);
    if (oldest == null || oldest.age == null || oldest.age.compareTo(retention) <= 0) {
      return new Figures.Retention(Duration.ZERO, List.of());
    }
    return new Figures.Retention(
        oldest.age.minus(retention), blockers(tx, Ring.LOG.leaf(oldest.slot)));
  }

  private static @Nullable Age oldest(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(AGES)) {
      return query
          .rows(
              row -> {
                int slot = row.getInt("slot");
                double age = row.getDouble("age");
                boolean empty = row.wasNull();
                // The leaves of yesterday, today and tomorrow are never emptied.
                int day = Math.floorMod(slot - row.getInt("today") + 1, Ring.LEAVES);
                return new Age(
                    slot, day >= 3, empty ? null : Duration.ofMillis(Math.round(age * 1000)));
              })
          .stream()
          .filter(leaf -> leaf.mayGo && leaf.age != null)
          .reduce((a, b) -> longer(a, b) ? a : b)
          .orElse(null);
    }
  }

  private static boolean longer(Age a, Age b) {
    return a.age != null && b.age != null && a.age.compareTo(b.age) >= 0;
  }

  private static List<String> blockers(Database.Tx tx, Ring.Leaf leaf) throws SQLException {
    try (Query query = tx.query(leaf.needed())) {
      List<String> destinations =
          query.set("settled", Retention.SETTLED).rows(row -> row.getString("destination"));
      if (!destinations.isEmpty()) {
        return destinations;
      }
    }
    return ArchivesInUse.reasonsToStay(tx, leaf, Archive.NONE).isEmpty()
        ? List.of()
        : List.of("archive");
  }
}
