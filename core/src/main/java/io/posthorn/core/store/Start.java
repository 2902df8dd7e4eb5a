package io.posthorn.core.store;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where a destination begins in the log when it is registered for the first time. Later
 * registrations do not change it.
 *
 * @param time the destination gets every message recorded from this time on that is still in the
 *     log; null means every message committed after the registration
 */
public record Start(@Nullable Instant time) {
  /** Begins with the messages committed after the registration. */
  public static final Start NOW = new Start(null);

  /** Begins with the oldest message that is still in the log. */
  public static final Start EARLIEST = at(Instant.EPOCH);

  /** Begins with the messages recorded from this time on. A time in the future means now. */
  public static Start at(Instant time) {
    return new Start(time);
  }
}
