package io.posthorn.core.trace;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs what handlers throw, with the stack trace, to the logger of messages. Without it, the
 * exception would only be in the database. It is cleaned of credentials and row contents.
 */
public final class HandlerFailureLog {
  // The name of MessageLog's logger. That class knows connectors, which use this one.
  private static final Logger LOG = LoggerFactory.getLogger("io.posthorn.messages");

  private HandlerFailureLog() {}

  /**
   * Logs one failed call.
   *
   * @param level WARN for the first call of an attempt, DEBUG for its repetitions
   * @param consumer the consumer or destination that the handler belongs to
   * @param attempt from 1
   * @param code why the attempt failed
   */
  public static void log(
      Level level, String consumer, Message message, int attempt, String code, Throwable thrown) {
    if (!LOG.isEnabledForLevel(level)) {
      return;
    }
    LogFields.of(message, LOG.atLevel(level))
        .addKeyValue(LogFields.DESTINATION, consumer)
        .addKeyValue(LogFields.ATTEMPT, attempt)
        .addKeyValue(LogFields.REASON, code)
        .setCause(Sanitiser.clean(thrown))
        .log(
            "The handler failed at attempt {}: {}; {}",
            attempt,
            code,
            LogFields.text(message, consumer));
  }
}
