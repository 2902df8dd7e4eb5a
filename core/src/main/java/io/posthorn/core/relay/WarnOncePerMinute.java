package io.posthorn.core.relay;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.event.Level;

/**
 * Chooses the log level of a repeated failure: loud once a minute, and DEBUG in between. A database
 * that is unavailable for an hour is one problem, not ten thousand.
 */
final class WarnOncePerMinute {
  static final Duration AGAIN_AFTER = Duration.ofMinutes(1);

  private final Ticker ticker;
  private final Map<String, Long> loggedAt = new ConcurrentHashMap<>();

  WarnOncePerMinute(Ticker ticker) {
    this.ticker = ticker;
  }

  /**
   * ERROR, or DEBUG if this problem was logged within the last minute; for what a person must fix.
   */
  Level errorLevel(String problem) {
    return warnLevel("! " + problem) == Level.WARN ? Level.ERROR : Level.DEBUG;
  }

  /** WARN, or DEBUG if this problem was logged within the last minute. */
  Level warnLevel(String problem) {
    long now = ticker.nanoTime();
    long logged =
        loggedAt.merge(
            problem, now, (before, at) -> at - before < AGAIN_AFTER.toNanos() ? before : at);
    return logged == now ? Level.WARN : Level.DEBUG;
  }
}
