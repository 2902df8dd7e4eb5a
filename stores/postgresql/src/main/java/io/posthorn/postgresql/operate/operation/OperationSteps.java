package io.posthorn.postgresql.operate.operation;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs operations. A step locks the operation, so that only one process takes it, handles a few
 * letters or messages, and stores the progress, all in one transaction. Steps are short, because
 * they lock lanes, and live traffic waits for these.
 */
public final class OperationSteps {
  private static final Logger LOG = LoggerFactory.getLogger(OperationSteps.class);

  /** The pause while another process takes a step. */
  private static final Duration SOON = Duration.ofMillis(100);

  private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

  private static final Sql RUNNING =
      Sql.of(
          "find operations",
          """
          SELECT id
            FROM posthorn_operation
           WHERE state = 'RUNNING'
          """);

  // Starting a parallel worker takes longer than reading a hundred rows.
  private static final Sql ALONE =
      Sql.of(
          "no parallel workers", "SELECT set_config('max_parallel_workers_per_gather', '0', true)");

  private static final Sql LOCK =
      Sql.of(
          "lock operation",
          """
          SELECT action, selection, canary, rate_per_second, stop_at, who, why, created_at, upto, total,
                 last_position, last_id, done, refused, sent, died, retrying, stuck, judged_sent, judged_died,
                 date_part('epoch', now() - paced_at) AS seconds,
                 date_part('epoch', now() - moved_at) AS still
            FROM posthorn_operation
           WHERE id = :id
             AND state = 'RUNNING'
             FOR UPDATE SKIP LOCKED
          """);

  private final Database database;

  /** The time of the last failed step, by operation. */
  private final Map<UUID, Long> failed = new ConcurrentHashMap<>();

  public OperationSteps(Database database) {
    this.database = database;
  }

  public Optional<Duration> run() {
    List<UUID> running =
        database.read(
            "finding operations",
            RUNNING,
            query -> query.rows(row -> row.getObject("id", UUID.class)));
    failed.keySet().retainAll(running);
    return running.stream().map(this::stepIfItMay).min(Comparator.naturalOrder());
  }

  /**
   * Takes a step unless the last one failed just now: an operation that fails must neither block
   * the others nor flood the log.
   */
  private Duration stepIfItMay(UUID id) {
    Long since = failed.get(id);
    Duration rest =
        since == null ? Duration.ZERO : AFTER_FAILURE.minusNanos(System.nanoTime() - since);
    if (rest.compareTo(Duration.ZERO) > 0) {
      return rest;
    }
    try {
      Duration pause = step(id);
      failed.remove(id);
      return pause;
    } catch (RuntimeException e) {
      failed.put(id, System.nanoTime());
      LOG.warn("A step of operation {} failed and will be retried: {}", id, Sanitiser.text(e));
      return AFTER_FAILURE;
    }
  }

  public Duration step(UUID id) {
    return database.transaction(
        "a step of operation " + id,
        tx -> {
          OperationStep step;
          try (Query query = tx.query(ALONE, LOCK)) {
            query.set("id", id).any();
            step = query.first(row -> new OperationStep(tx, id, row));
          }
          return step == null ? SOON : step.take();
        });
  }

  /** A letter or message to handle, and its position in the order. */
  record Item(long position, UUID id) {}
}
