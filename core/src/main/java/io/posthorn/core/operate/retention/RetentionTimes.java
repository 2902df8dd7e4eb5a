package io.posthorn.core.operate.retention;

import java.time.Duration;

/**
 * How long finished messages are kept. A message that is PENDING or FAILED is kept whatever its
 * age.
 *
 * @param sent how long to keep messages that every destination has passed; default: 7 days
 * @param dead how long to keep dead letters, including discarded ones, since their death; default:
 *     30 days
 */
public record RetentionTimes(Duration sent, Duration dead) {
  /** 7 days for messages, 30 days for dead letters. */
  public static final RetentionTimes DEFAULT =
      new RetentionTimes(Duration.ofDays(7), Duration.ofDays(30));

  /** How long before their removal dead letters are announced: 7 days. */
  public static final Duration ANNOUNCED = Duration.ofDays(7);
}
