package io.posthorn.core.operate.operation;

import io.posthorn.core.operate.audit.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The side of a store for bulk actions. Start, stop, resume and end are audited. */
public interface OperationStore {
  /** Returns what the operation would do. */
  Preview preview(Plan plan);

  /** Starts an operation. Messages and letters that appear later are not part of it. */
  Operation startOperation(Plan plan, Actor by);

  /** Returns an operation; empty if it is unknown. */
  Optional<Operation> operation(UUID id);

  /** Returns operations, newest first. */
  List<Operation> operations(int limit);

  /** Stops it. Queued messages are still delivered. Returns false if it is not running. */
  boolean stopOperation(UUID id, Actor by);

  /**
   * Resumes it where it stopped. Failures from before no longer count for {@link Plan#stopAt}.
   * Returns false if it is not stopped.
   */
  boolean resumeOperation(UUID id, Actor by);

  /**
   * Takes one step, if the operation runs and no other program is working on it. A step is one
   * short transaction that includes the progress, so a crash loses and repeats nothing.
   *
   * @return the time until the next call
   */
  Duration step(UUID id);
}
