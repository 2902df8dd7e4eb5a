package io.posthorn.postgresql;

import io.posthorn.core.audit.AuditEntry;
import io.posthorn.core.audit.By;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes what people do, in the transaction that does it; one at a time, because of the chain. */
final class AuditLog {
  // Until the end of the transaction, as every lock here: a pooler may sit in between.
  private static final Sql LOCK =
      Sql.of("lock audit", "SELECT pg_advisory_xact_lock(1349350516, 1)");

  private static final Sql LAST =
      Sql.of(
          "read last audit entry",
          """
          SELECT coalesce(max(n), 0) AS n,
                 (SELECT hash FROM posthorn_audit ORDER BY n DESC LIMIT 1) AS hash,
                 (date_part('epoch', clock_timestamp()) * 1000000)::bigint AS at
            FROM posthorn_audit
          """);

  private static final Sql WRITE =
      Sql.of(
          "write audit",
          """
          INSERT INTO posthorn_audit (n, at, who, action, target, why, before, after, hash)
          VALUES (:n, CAST(:at AS timestamptz), :who, :action, :target, :why, CAST(:before AS text),
                  CAST(:after AS text), :hash)
          """);

  private static final Sql READ =
      Sql.of(
          "read audit",
          """
          SELECT n, (date_part('epoch', at) * 1000000)::bigint AS at, who, action, target, why, before, after, hash
            FROM posthorn_audit
           WHERE n > :after
           ORDER BY n
           LIMIT :limit
          """);

  private record Last(long n, String hash, Instant at) {}

  private AuditLog() {}

  static void write(
      Database.Tx tx,
      By by,
      String action,
      String target,
      @Nullable String before,
      @Nullable String after)
      throws SQLException {
    try (Query query = tx.query(LOCK)) {
      query.any();
    }
    Last last;
    try (Query query = tx.query(LAST)) {
      last = Objects.requireNonNull(query.first(AuditLog::last));
    }
    AuditEntry entry =
        new AuditEntry(last.n + 1, last.at, by.who(), action, target, by.why(), before, after, "")
            .chainedTo(last.hash);
    try (Query query = tx.query(WRITE)) {
      query
          .set("n", entry.n())
          .set("at", entry.at().toString())
          .set("who", entry.who())
          .set("action", action)
          .set("target", target)
          .set("why", entry.why())
          .set("before", before)
          .set("after", after)
          .set("hash", entry.hash())
          .update();
    }
  }

  private static Last last(ResultSet row) throws SQLException {
    String hash = row.getString("hash");
    return new Last(
        row.getLong("n"),
        hash == null ? AuditEntry.START : hash,
        MessageRow.instant(row.getLong("at")));
  }

  static List<AuditEntry> read(Database database, long after, int limit) {
    return database.ask(
        "reading the audit",
        READ,
        query ->
            query
                .set("after", after)
                .set("limit", limit)
                .rows(
                    row ->
                        new AuditEntry(
                            row.getLong("n"),
                            MessageRow.instant(row.getLong("at")),
                            row.getString("who"),
                            row.getString("action"),
                            row.getString("target"),
                            row.getString("why"),
                            row.getString("before"),
                            row.getString("after"),
                            row.getString("hash"))));
  }
}
