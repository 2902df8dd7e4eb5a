package io.posthorn.postgresql.schema;

import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.TableNames;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Whether the log has the indexes for finding messages. Writers pay for them, so an installation
 * may omit them; then such queries scan the log.
 */
public record FindingIndexes(boolean byKey, boolean byCorrelation) {
  // The index of the whole log is valid once each leaf has its part.
  private static final Sql READ =
      Sql.of(
          "find indexes for finding",
          """
          SELECT coalesce(bool_or(i.first = 'key'), false) AS by_key,
                 coalesce(bool_or(i.first LIKE '%correlation-id%'), false) AS by_correlation
            FROM (SELECT pg_get_indexdef(x.indexrelid, 1, true) AS first
                    FROM pg_index x
                   WHERE x.indrelid = to_regclass('posthorn_log')
                     AND x.indisvalid) i
          """);

  /** The indexed columns, and the name that the migration gives their index. */
  private record Index(String name, String what) {}

  private static final List<Index> INDEXES =
      List.of(
          new Index("key_seq_idx", "(key, seq) WHERE key IS NOT NULL"),
          new Index(
              "expr_seq_idx",
              "((headers ->> 'correlation-id'), seq) WHERE headers ->> 'correlation-id' IS NOT NULL"));

  public static FindingIndexes of(Database.Tx tx) throws SQLException {
    try (Query query = tx.query(READ)) {
      return Objects.requireNonNull(
          query.first(
              row ->
                  new FindingIndexes(row.getBoolean("by_key"), row.getBoolean("by_correlation"))));
    }
  }

  /**
   * Returns the statements of {@code Migrations.finding}. An index is created in the schema of its
   * table, so its name has no schema.
   */
  public static List<String> statements(TableNames tables) {
    List<String> statements = new ArrayList<>();
    for (Index index : INDEXES) {
      String name = "log_" + index.name;
      statements.add(
          "CREATE INDEX IF NOT EXISTS %s%s ON ONLY %s %s"
              .formatted(tables.prefix(), name, tables.in("posthorn_log"), index.what));
      for (int slot = 0; slot < Ring.LEAVES; slot++) {
        String leaf = "log_%02d".formatted(slot);
        String part = leaf + "_" + index.name;
        statements.add(
            "CREATE INDEX CONCURRENTLY IF NOT EXISTS %s%s ON %s %s"
                .formatted(tables.prefix(), part, tables.in("posthorn_" + leaf), index.what));
        statements.add(
            "ALTER INDEX %s ATTACH PARTITION %s"
                .formatted(tables.in("posthorn_" + name), tables.in("posthorn_" + part)));
      }
    }
    return statements;
  }
}
