package io.posthorn.core.operate.retention;

import java.time.Duration;

/**
 * How long finished things stay. What is PENDING or FAILED stays whatever its age.
 *
 * @param sent messages that every destination has passed; default 7 days
 * @param dead dead letters, discarded ones too, from their death on; default 30 days
 */
public record RetentionTimes(Duration sent, Duration dead) {
  public static final RetentionTimes DEFAULT =
      new RetentionTimes(Duration.ofDays(7), Duration.ofDays(30));

  /** So long before, it is told which dead letters will be removed. */
  public static final Duration ANNOUNCED = Duration.ofDays(7);
}
