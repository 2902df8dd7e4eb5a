package io.posthorn.core.operate.operation;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Runs bulk actions on dead letters and on sent messages. A started operation is a row in the
 * database, and relays carry it out in short steps. If a relay dies, another continues.
 */
public final class Operations {
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

  private final OperationStore store;

  private Operations(OperationStore store) {
    this.store = store;
  }

  /** The operations of this store. */
  public static Operations on(OperationStore store) {
    return new Operations(store);
  }

  /** Returns what the operation would do. It changes nothing. */
  public Preview preview(Plan plan) {
    return store.preview(plan);
  }

  /** Starts an operation. Relays carry it out from now on. */
  public Operation start(Plan plan, Actor by) {
    return store.startOperation(plan, by);
  }

  /**
   * Starts to requeue all dead letters of a destination that wait. Relays carry it out from now on.
   */
  public Operation requeueAll(String destination, Actor by) {
    return start(Plan.requeue(DeadLetterQuery.builder().destination(destination).build()), by);
  }

  /** Returns an operation with its progress; empty if it is unknown. */
  public Optional<Operation> find(UUID id) {
    return store.operation(id);
  }

  /** Returns operations, newest first. */
  public List<Operation> list(int limit) {
    return store.operations(limit);
  }

  /** Stops a running operation. Messages that it has queued are still delivered. */
  public Operation stop(UUID id, Actor by) {
    return changed(id, store.stopOperation(id, by), "stopped");
  }

  /** Resumes a stopped operation where it stopped. */
  public Operation resume(UUID id, Actor by) {
    return changed(id, store.resumeOperation(id, by), "resumed");
  }

  private Operation changed(UUID id, boolean changed, String what) {
    Operation operation = known(id);
    if (!changed) {
      throw new PosthornException(
          ErrorCode.CONFLICT,
          "operation %s was not %s: it is %s. 'posthorn operations list' shows the operations and their states."
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
                    "nothing was done: there is no operation %s. 'posthorn operations list' shows all operations."
                        .formatted(id)));
  }

  /**
   * Works on the operation in this thread, beside the relays, until it ends or is stopped or this
   * thread is interrupted.
   *
   * @param progress receives the state of the operation after each step
   * @return the last state
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
        // A step locks lanes, so live traffic gets them for the same time before the next step.
        LockSupport.parkNanos(Math.min(Math.max(pause.toNanos(), took), LONGEST_PAUSE.toNanos()));
      }
    }
    return operation;
  }
}
