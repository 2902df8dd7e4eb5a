package io.posthorn.core.operate.operation;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Bulk actions on dead letters and on what was sent. A started operation is a row in the database:
 * relays carry it out, one step at a time, and whichever dies, another goes on.
 */
public final class Operations {
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private final OperationStore store;

  private Operations(OperationStore store) {
    this.store = store;
  }

  public static Operations on(OperationStore store) {
    return new Operations(store);
  }

  public Preview preview(Plan plan) {
    return store.preview(plan);
  }

  public Operation start(Plan plan, Actor by) {
    return store.startOperation(plan, by);
  }

  public Optional<Operation> find(UUID id) {
    return store.operation(id);
  }

  /** Newest first. */
  public List<Operation> list(int limit) {
    return store.operations(limit);
  }

  public Operation stop(UUID id, Actor by) {
    return changed(id, store.stopOperation(id, by), "stopped");
  }

  public Operation resume(UUID id, Actor by) {
    return changed(id, store.resumeOperation(id, by), "resumed");
  }

  private Operation changed(UUID id, boolean changed, String what) {
    Operation operation = known(id);
    if (!changed) {
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "operation %s was not %s: it is %s. 'posthorn operations list' shows those that run or are stopped."
              .formatted(id, what, operation.state()));
    }
    return operation;
  }

  private Operation known(UUID id) {
    return store
        .operation(id)
        .orElseThrow(
            () ->
                new PosthornException(
                    ErrorCode.NOT_FOUND,
                    "nothing was done: there is no operation %s. 'posthorn operations list' names them."
                        .formatted(id)));
  }

  /**
   * Works on it here, beside the relays, until it does not run any more or this thread is
   * interrupted; tells how it stands after each step.
   */
  public Operation run(UUID id, Consumer<Operation> progress) {
    Operation operation = known(id);
    while (operation.state() == Operation.State.RUNNING
        && !Thread.currentThread().isInterrupted()) {
      long began = System.nanoTime();
      Duration pause = store.step(id);
      long took = System.nanoTime() - began;
      operation = known(id);
      progress.accept(operation);
      if (operation.state() == Operation.State.RUNNING) {
        // A step locks lanes: live traffic has them for as long before the next.
        LockSupport.parkNanos(Math.min(Math.max(pause.toNanos(), took), LONGEST_PAUSE.toNanos()));
      }
    }
    return operation;
  }
}
