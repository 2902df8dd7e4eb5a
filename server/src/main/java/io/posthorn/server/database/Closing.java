package io.posthorn.server.database;

import io.posthorn.core.error.Sanitiser;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what failed to start. */
final class Closing {
  private static final Logger LOG = LoggerFactory.getLogger(Closing.class);

  private Closing() {}

  /**
   * Closes it, and logs a failure instead of throwing it: the caller has a failure of its own.
   *
   * @param what for the log, for example "destination 'partner'"
   */
  static void quietly(String what, Runnable close) {
    try {
      close.run();
    } catch (RuntimeException | Error e) {
      LOG.warn("Not closed after a failed start: {}: {}", what, Sanitiser.text(e));
    }
  }
}
