package io.posthorn.core.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a destination begins when it is registered for the first time. Later registrations change
 * nothing about it.
 *
 * @param time everything recorded from then on, as far as it is still in the log; null = what is
 *     committed from the registration on
 */
public record Start(@Nullable Instant time) {
  /** With what is committed from the registration on. */
  public static final Start NOW = new Start(null);

  /** With the oldest message that is still in the log. */
  public static final Start EARLIEST = at(Instant.EPOCH);

  /** With everything recorded from then on; a time that is yet to come is now. */
  public static Start at(Instant time) {
    return new Start(time);
  }
}
