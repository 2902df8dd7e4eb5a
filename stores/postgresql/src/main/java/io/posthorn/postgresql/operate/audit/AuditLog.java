package io.posthorn.postgresql.operate.audit;

import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.Times;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes and reads the audit. An entry is written in the transaction of the action itself. Entries
 * are written one at a time, because each is chained to the one before.
 */
public final class AuditLog {
  // The function sets number, time, role and hash, because no role may write to the table itself.
  private static final Sql WRITE =
      Sql.of(
          "write audit",
          "SELECT posthorn_note(:who, :action, :why, CAST(:targets AS text[]), CAST(:befores AS text[]), CAST(:afters AS text[]))");

  private static final Sql READ =
      Sql.of(
          "read audit",
          """
          SELECT n, (date_part('epoch', at) * 1000000)::bigint AS at, who, role, action, target, why, before, after, hash
            FROM posthorn_audit
           WHERE n > :after
           ORDER BY n
           LIMIT :limit
          """);

  private AuditLog() {}

  /** One change of one target. */
  public record Change(String target, @Nullable String before, @Nullable String after) {}

  /**
   * Writes one entry for each change. It is a single statement for any number of changes, because
   * the caller may hold locks of lanes.
   */
  public static void write(Database.Tx tx, Actor by, String action, List<Change> changes)
      throws SQLException {
    List<@Nullable String> befores = new ArrayList<>();
    List<@Nullable String> afters = new ArrayList<>();
    changes.forEach(change -> befores.add(change.before));
    changes.forEach(change -> afters.add(change.after));
    try (Query query = tx.query(WRITE)) {
      query
          .set("who", by.who())
          .set("action", action)
          .set("why", by.why())
          .setTexts("targets", changes.stream().map(Change::target).toList())
          .setTexts("befores", befores)
          .setTexts("afters", afters)
          .any();
    }
  }

  public static void write(
      Database.Tx tx,
      Actor by,
      String action,
      String target,
      @Nullable String before,
      @Nullable String after)
      throws SQLException {
    write(tx, by, action, List.of(new Change(target, before, after)));
  }

  /** Writes one entry in a transaction of its own. */
  public static void record(Database database, Actor by, String action, String target) {
    database.transaction(
        "recording '%s' in the audit".formatted(action),
        tx -> {
          write(tx, by, action, target, null, null);
          return true;
        });
  }

  public static List<AuditEntry> read(Database database, long after, int limit) {
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
                            Times.instant(row.getLong("at")),
                            row.getString("who"),
                            row.getString("role"),
                            row.getString("action"),
                            row.getString("target"),
                            row.getString("why"),
                            row.getString("before"),
                            row.getString("after"),
                            row.getString("hash"))));
  }
}
