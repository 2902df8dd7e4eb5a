package io.posthorn.core.operate.operation;

import io.posthorn.core.operate.audit.Actor;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A bulk action and its progress.
 *
 * @param by who started it, and why
 * @param total the messages or letters it selected when it was started
 * @param done those it has processed: queued for delivery, or discarded
 * @param refused those it left alone, because they changed meanwhile
 * @param sent of those done, the ones that were sent
 * @param died of those done, the ones that died again or were skipped
 * @param retrying of those done, the ones that failed and are being retried
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

  /** The states of an operation. */
  public enum State {
    /** Relays, or a program that called {@link Operations#run}, are working on it. */
    RUNNING,
    /** A person stopped it, or it stopped by itself. It can be resumed. */
    STOPPED,
    /** Everything is processed. Messages that it queued may still be in flight. */
    DONE
  }

  /** How many messages are still being delivered, including those that are being retried. */
  public long underWay() {
    return plan.action().sends() ? done - sent - died : 0;
  }

  /** Whether it waits for the outcomes of its canary. */
  public boolean waitsForCanary() {
    return state == State.RUNNING
        && plan.canary() > 0
        && done >= plan.canary()
        && sent + died < plan.canary();
  }
}
