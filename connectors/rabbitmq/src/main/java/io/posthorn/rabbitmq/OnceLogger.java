package io.posthorn.rabbitmq;

import io.posthorn.core.error.Sanitiser;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What nobody counted on, and no message's answer shows whole: the log tells once of each kind. */
final class OnceLogger {
  private static final Logger LOG = LoggerFactory.getLogger(OnceLogger.class);

  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /** Never throws: a thread that nobody would start again goes on after it. */
  void tell(String what, Throwable why) {
    try {
      if (told.add(what + why.getClass().getName())) {
        LOG.atWarn().setCause(Sanitiser.clean(why)).log("The RabbitMQ connector goes on: {}", what);
      }
    } catch (Throwable evenThis) {
      // Telling failed, probably for want of memory.
    }
  }
}
