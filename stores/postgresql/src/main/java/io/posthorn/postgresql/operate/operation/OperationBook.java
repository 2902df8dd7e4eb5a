package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.Preview;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.postgresql.message.HeadersJson;
import io.posthorn.postgresql.operate.audit.AuditLog;
import io.posthorn.postgresql.operate.deadletter.DeadLetterReader;
import io.posthorn.postgresql.operate.deadletter.RequeuePreview;
import io.posthorn.postgresql.operate.steering.DestinationReader;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Starts, lists, stops and resumes operations. */
public final class OperationBook {
  private static final Sql START =
      Sql.of(
          "start operation",
          """
          INSERT INTO posthorn_operation
                 (id, action, selection, canary, rate_per_second, stop_at, who, why, created_at, upto, total,
                  last_position, paced_at, moved_at)
          VALUES (:id, :action, CAST(:selection AS jsonb), :canary, CAST(:rate AS float8), :stopAt, :who, :why,
                  clock_timestamp(), :upto, :total, :after, clock_timestamp(), clock_timestamp())
          """);

  private static final Sql READ =
      Sql.of(
          "read operation",
          """
          SELECT o.id, o.action, o.selection, o.canary, o.rate_per_second, o.stop_at, o.who, o.why, o.created_at,
                 o.total, o.state, o.note, o.ended_at, o.done, o.refused,
                 o.sent + coalesce(x.sent, 0) AS sent,
                 o.died + coalesce(x.died, 0) AS died,
                 o.retrying + coalesce(x.retrying, 0) AS retrying
            FROM posthorn_operation o
           CROSS JOIN LATERAL
                 (SELECT sum(c.sent) AS sent, sum(c.died) AS died, sum(c.retrying) AS retrying
                    FROM posthorn_operation_outcome c
                   WHERE c.operation = o.id) x
           WHERE o.id = :id
          """);

  private static final Sql LIST =
      Sql.of(
          "list operations",
          """
          SELECT o.id, o.action, o.selection, o.canary, o.rate_per_second, o.stop_at, o.who, o.why, o.created_at,
                 o.total, o.state, o.note, o.ended_at, o.done, o.refused,
                 o.sent + coalesce(x.sent, 0) AS sent,
                 o.died + coalesce(x.died, 0) AS died,
                 o.retrying + coalesce(x.retrying, 0) AS retrying
            FROM posthorn_operation o
           CROSS JOIN LATERAL
                 (SELECT sum(c.sent) AS sent, sum(c.died) AS died, sum(c.retrying) AS retrying
                    FROM posthorn_operation_outcome c
                   WHERE c.operation = o.id) x
           ORDER BY o.created_at DESC
           LIMIT :limit
          """);

  private static final Sql STOP =
      Sql.of(
          "stop operation",
          """
          UPDATE posthorn_operation
             SET state = 'STOPPED',
                 note = :note,
                 ended_at = clock_timestamp()
           WHERE id = :id
             AND state = 'RUNNING'
          """);

  // The lock is a statement of its own. If the next statement waited for the lock itself, it would
  // add outcomes of an old snapshot to newer sums.
  private static final Sql LOCK =
      Sql.of(
          "lock operation to resume", "SELECT 1 FROM posthorn_operation WHERE id = :id FOR UPDATE");

  private static final Sql RESUME =
      Sql.of(
          "resume operation",
          """
          UPDATE posthorn_operation o
             SET state = 'RUNNING',
                 note = NULL,
                 ended_at = NULL,
                 paced_at = clock_timestamp(),
                 moved_at = clock_timestamp(),
                 judged_sent = o.sent + (SELECT coalesce(sum(c.sent), 0)
                                           FROM posthorn_operation_outcome c
                                          WHERE c.operation = o.id),
                 judged_died = o.died + (SELECT coalesce(sum(c.died), 0)
                                           FROM posthorn_operation_outcome c
                                          WHERE c.operation = o.id)
           WHERE o.id = :id
             AND o.state = 'STOPPED'
          RETURNING o.action, o.selection, o.rate_per_second, o.canary, o.stop_at
          """);

  private final Database database;

  public OperationBook(Database database) {
    this.database = database;
  }

  public Preview preview(Plan plan) {
    boolean letters = plan.action().ofLetters();
    return letters && plan.action().sends()
        ? RequeuePreview.preview(database, plan.letters())
        : new Preview(count(plan), 0, 0);
  }

  private long count(Plan plan) {
    if (plan.action().ofLetters()) {
      return new DeadLetterReader(database).count(plan.letters());
    }
    check(plan.messages().destination());
    return new SentMessages(database).count(plan);
  }

  private void check(String destination) {
    List<String> names =
        new DestinationReader(database)
            .destinations().stream().map(DestinationStatus::name).toList();
    if (!names.contains(destination)) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "nothing was sent again: there is no destination '%s'. Use one of these: %s."
              .formatted(destination, String.join(", ", names)));
    }
  }

  public Operation start(Plan plan, Actor by) {
    UUID id = UUID.randomUUID();
    long total = count(plan);
    SeqBounds bounds =
        plan.action().ofLetters() ? SeqBounds.ALL : SeqBounds.of(database, plan.messages());
    database.transaction(
        "starting an operation",
        tx -> {
          try (Query query = tx.query(START)) {
            query
                .set("id", id)
                .set("action", plan.action().name())
                .set("selection", HeadersJson.write(plan.selection()))
                .set("canary", plan.canary())
                .set("rate", text(plan.ratePerSecond()))
                .set("stopAt", plan.stopAt())
                .set("who", by.who())
                .set("why", by.why())
                .set("upto", bounds.upto())
                .set("total", total)
                .set("after", bounds.after())
                .update();
          }
          Rewinding.begin(tx, id, plan);
          String what =
              "%s of %,d, selected by %s".formatted(plan.action(), total, plan.selection());
          AuditLog.write(tx, by, "operation.start", target(id), null, what);
          return id;
        });
    return operation(id)
        .orElseThrow(
            () ->
                new PosthornException(
                    ErrorCode.OPERATION_UNCONFIRMED,
                    "operation %s was started but could not be read afterwards. Run 'posthorn operations list', and start it again only if it is not listed."
                        .formatted(id)));
  }

  private static @Nullable String text(@Nullable Double rate) {
    return rate == null ? null : rate.toString();
  }

  public Optional<Operation> operation(UUID id) {
    return database.ask(
        "reading operation " + id,
        READ,
        query -> Optional.ofNullable(query.set("id", id).first(OperationRow::operation)));
  }

  public List<Operation> list(int limit) {
    return database.ask(
        "listing operations",
        LIST,
        query -> Objects.requireNonNull(query.set("limit", limit).rows(OperationRow::operation)));
  }

  public boolean stop(UUID id, Actor by) {
    return database.transaction(
        "stopping operation " + id,
        tx -> {
          try (Query query = tx.query(STOP)) {
            String note = "stopped by %s: %s".formatted(by.who(), by.why());
            if (query.set("id", id).set("note", note).update() == 0) {
              return false;
            }
          }
          Rewinding.end(tx, id);
          AuditLog.write(tx, by, "operation.stop", target(id), null, null);
          return true;
        });
  }

  public boolean resume(UUID id, Actor by) {
    return database.transaction(
        "resuming operation " + id,
        tx -> {
          Plan plan;
          try (Query query = tx.query(LOCK, RESUME)) {
            query.set("id", id).any();
            plan = query.first(OperationRow::plan);
          }
          if (plan == null) {
            return false;
          }
          Rewinding.begin(tx, id, plan);
          AuditLog.write(tx, by, "operation.resume", target(id), null, null);
          return true;
        });
  }

  static String target(UUID id) {
    return "operation " + id;
  }
}
