package io.posthorn.core.operate.operation;

import io.posthorn.core.operate.audit.Actor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The side of a store for bulk actions. Start, stop, resume and end are audited. */
public interface OperationStore {
  Preview preview(Plan plan);

  /** What comes to be after this moment is no part of it. */
  Operation startOperation(Plan plan, Actor by);

  Optional<Operation> operation(UUID id);

  /** Newest first. */
  List<Operation> operations(int limit);

  /** False if it does not run. What is on its way stays so. */
  boolean stopOperation(UUID id, Actor by);

  /** False if it is not stopped. It goes on where it was, and judges by what comes from now on. */
  boolean resumeOperation(UUID id, Actor by);

  /**
   * Takes one step of it, if it runs and nobody else works on it: a short transaction with what was
   * done and how far it has come, so that a crash costs nothing.
   *
   * @return when to call again
   */
  Duration step(UUID id);
}
