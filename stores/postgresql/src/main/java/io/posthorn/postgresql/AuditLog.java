package io.posthorn.postgresql;

import io.posthorn.core.audit.AuditEntry;
import io.posthorn.core.audit.By;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
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
          SELECT e.n, CAST(:at AS timestamptz), :who, :action, e.target, :why, e.before, e.after, e.hash
            FROM unnest(CAST(:ns AS bigint[]), CAST(:targets AS text[]), CAST(:befores AS text[]),
                        CAST(:afters AS text[]), CAST(:hashes AS text[])) AS e (n, target, before, after, hash)
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

  /** What was done to one thing. */
  record Change(String target, @Nullable String before, @Nullable String after) {}

  /** One entry each; three statements however many they are, because lanes may be locked. */
  static void write(Database.Tx tx, By by, String action, List<Change> changes)
      throws SQLException {
    Last last;
    try (Query query = tx.query(LOCK, LAST)) {
      query.any();
      last = Objects.requireNonNull(query.first(AuditLog::last));
    }
    List<AuditEntry> entries = new ArrayList<>();
    String hash = last.hash;
    for (Change change : changes) {
      AuditEntry entry =
          new AuditEntry(
                  last.n + entries.size() + 1,
                  last.at,
                  by.who(),
                  action,
                  change.target,
                  by.why(),
                  change.before,
                  change.after,
                  "")
              .chainedTo(hash);
      entries.add(entry);
      hash = entry.hash();
    }
    List<@Nullable String> befores = new ArrayList<>();
    List<@Nullable String> afters = new ArrayList<>();
    changes.forEach(change -> befores.add(change.before));
    changes.forEach(change -> afters.add(change.after));
    try (Query query = tx.query(WRITE)) {
      query
          .set("at", last.at.toString())
          .set("who", by.who())
          .set("action", action)
          .set("why", by.why())
          .setLongs("ns", entries.stream().map(AuditEntry::n).toList())
          .setTexts("targets", entries.stream().map(AuditEntry::target).toList())
          .setTexts("befores", befores)
          .setTexts("afters", afters)
          .setTexts("hashes", entries.stream().map(AuditEntry::hash).toList())
          .update();
    }
  }

  static void write(
      Database.Tx tx,
      By by,
      String action,
      String target,
      @Nullable String before,
      @Nullable String after)
      throws SQLException {
    write(tx, by, action, List.of(new Change(target, before, after)));
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
