package io.posthorn.core.operate.deadletter;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters in figures.
 *
 * @param waiting how many wait for a person
 * @param oldest when the oldest of them was created
 * @param byReason of those that wait, most first
 * @param byType of those that wait, most first
 * @param perDay created on which day (UTC), whatever became of them
 * @param requeued how many were requeued, or sent once
 * @param requeuedSent how many of these were sent then
 * @param requeuedDead how many of these died again
 */
public record DeadLetterFigures(
    long waiting,
    @Nullable Instant oldest,
    Map<String, Long> byReason,
    Map<String, Long> byType,
    SortedMap<LocalDate, Long> perDay,
    long requeued,
    long requeuedSent,
    long requeuedDead) {

  /** The share of those whose rescue has ended that were sent; 1 if none has ended. */
  public double successShare() {
    long ended = requeuedSent + requeuedDead;
    return ended == 0 ? 1 : (double) requeuedSent / ended;
  }
}
