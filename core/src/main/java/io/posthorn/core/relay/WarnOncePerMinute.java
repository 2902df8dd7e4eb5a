package io.posthorn.core.relay;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.event.Level;

/**
 * How loudly the log tells of what is tried again: once, and then only now and then. A database
 * that is away for an hour is one trouble, not ten thousand.
 */
final class WarnOncePerMinute {
  static final Duration AGAIN_AFTER = Duration.ofMinutes(1);

  private final Ticker ticker;
  private final Map<String, Long> loggedAt = new ConcurrentHashMap<>();

  WarnOncePerMinute(Ticker ticker) {
    this.ticker = ticker;
  }

  /** An error, or a whisper if it was told a moment ago: what a person has to see to. */
  Level errorLevel(String problem) {
    return warnLevel("! " + problem) == Level.WARN ? Level.ERROR : Level.DEBUG;
  }

  /** A warning, or a whisper if there was a warning of it a moment ago. */
  Level warnLevel(String problem) {
    long now = ticker.nanoTime();
    long logged =
        loggedAt.merge(
            problem, now, (before, at) -> at - before < AGAIN_AFTER.toNanos() ? before : at);
    return logged == now ? Level.WARN : Level.DEBUG;
  }
}
