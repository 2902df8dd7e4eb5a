package io.posthorn.core.operate.operation;

import io.posthorn.core.operate.audit.Actor;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a bulk action stands.
 *
 * @param total how many there were to do when it was started
 * @param done how many were done: put on their way, or discarded
 * @param refused how many were left alone because they changed meanwhile
 * @param sent how many of those done have arrived
 * @param died how many of those done died again, or were skipped
 * @param retrying how many of those done have failed and are tried again
 * @param note why it was stopped
 */
public record Operation(
    UUID id,
    Plan plan,
    State state,
    Actor by,
    Instant createdAt,
    @Nullable Instant endedAt,
    long total,
    long done,
    long refused,
    long sent,
    long died,
    long retrying,
    @Nullable String note) {

  /** Where an operation stands. */
  public enum State {
    /** Relays work on it, or whoever else runs it. */
    RUNNING,
    /** A person stopped it, or it stopped itself; it can be resumed. */
    STOPPED,
    /** Nothing is left to do. What it sent may still be under way. */
    DONE
  }

  /** How many are on their way, those that are tried again among them. */
  public long underWay() {
    return plan.action().sends() ? done - sent - died : 0;
  }

  /** It waits to learn what comes of its canary. */
  public boolean waitsForCanary() {
    return state == State.RUNNING
        && plan.canary() > 0
        && done >= plan.canary()
        && sent + died < plan.canary();
  }
}
