package io.posthorn.core.operate.deadletter;

import java.time.Instant;
import java.time.LocalDate;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Dead letters in figures.
 *
 * @param waiting the number of letters that wait for a person
 * @param oldest when the oldest of them was created
 * @param byReason the waiting letters by reason, most first
 * @param byType the waiting letters by type, most first
 * @param perDay the number of letters created per day (UTC), in whatever state they are now
 * @param requeued the number of letters that were requeued or sent once
 * @param requeuedSent how many of these were then sent
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

  /** The share of finished rescues that were sent; 1 if no rescue has finished. */
  public double successShare() {
    long ended = requeuedSent + requeuedDead;
    return ended == 0 ? 1 : (double) requeuedSent / ended;
  }
}
