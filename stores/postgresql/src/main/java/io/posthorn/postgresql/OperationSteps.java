package io.posthorn.postgresql;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Carries operations out. A step locks the operation, so that nobody else takes one, does a few
 * things, and writes down how far it has come: all in one transaction. It is short, because lanes
 * are locked in it and live traffic waits for them.
 */
final class OperationSteps {
  /** Somebody else takes a step of it. */
  private static final Duration SOON = Duration.ofMillis(100);

  private static final Sql RUNNING =
      Sql.of(
          "find operations",
          """
          SELECT id
            FROM posthorn_operation
           WHERE state = 'RUNNING'
          """);

  // To start a process for a hundred rows takes longer than to read them.
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

  OperationSteps(Database database) {
    this.database = database;
  }

  Optional<Duration> run() {
    List<UUID> running =
        database.read(
            "finding operations",
            RUNNING,
            query -> query.rows(row -> row.getObject("id", UUID.class)));
    Optional<Duration> next = Optional.empty();
    RuntimeException failure = null;
    for (UUID id : running) {
      try {
        Duration pause = step(id);
        next = next.filter(least -> least.compareTo(pause) <= 0).or(() -> Optional.of(pause));
      } catch (RuntimeException e) {
        // One that cannot go on must not hold up the others.
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return next;
  }

  Duration step(UUID id) {
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

  /** A thing to do: where it stands in the order, and what it is. */
  record Item(long position, UUID id) {}
}
