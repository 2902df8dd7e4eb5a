package io.posthorn.rabbitmq;

import io.posthorn.core.error.Sanitiser;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs unexpected errors that no message's outcome shows in full, once per kind. */
final class OnceLogger {
  private static final Logger LOG = LoggerFactory.getLogger(OnceLogger.class);

  private final Set<String> logged = ConcurrentHashMap.newKeySet();

  /** Logs the error. Never throws, because nothing would restart the calling thread. */
  void log(String what, Throwable why) {
    try {
      if (logged.add(what + why.getClass().getName())) {
        LOG.atWarn()
            .setCause(Sanitiser.clean(why))
            .log("The RabbitMQ connector continues after an error: {}", what);
      }
    } catch (Throwable evenThis) {
      // Logging failed too, probably for lack of memory.
    }
  }
}
