package io.posthorn.core.trace;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Logs what the handlers of one consumer or connector throw, cleaned of credentials and row
 * contents. Without it, the exception would only be in the database.
 *
 * <p>A line has the exception with its stack trace, unless very many calls fail at once: see {@link
 * LogBudget}.
 */
public final class HandlerFailureLog {
  /** A child of MessageLog's logger. */
  private static final Logger LOG = LoggerFactory.getLogger("io.posthorn.messages.failures");

  private static final int TEXT = 1_000;

  private final LogBudget warnings = new LogBudget(System::nanoTime);
  private final LogBudget details = new LogBudget(System::nanoTime);

  /** One log for all threads of a consumer, which share its budget. */
  public HandlerFailureLog() {}

  /**
   * Logs one failed call.
   *
   * @param level WARN for the first call of an attempt, DEBUG for its repetitions
   * @param consumer the consumer or destination that the handler belongs to
   * @param attempt from 1
   * @param code why the attempt failed
   */
  public void log(
      Level level, String consumer, Message message, int attempt, String code, Throwable thrown) {
    if (!LOG.isEnabledForLevel(level)) {
      return;
    }
    boolean warns = level == Level.WARN;
    LogBudget.Share share =
        (warns ? warnings : details).take(code + ' ' + thrown.getClass().getName());
    if (warns && share.leftOut() > 0) {
      LOG.atWarn()
          .addKeyValue(LogFields.DESTINATION, consumer)
          .log(
              "{} more failed calls of the handlers of '{}' were logged at DEBUG: more than {} in a second failed",
              share.leftOut(),
              consumer,
              LogBudget.LINES);
    }
    Level granted = share.line() ? level : Level.DEBUG;
    if (!LOG.isEnabledForLevel(granted)) {
      return;
    }
    LoggingEventBuilder line =
        LogFields.of(message, LOG.atLevel(granted))
            .addKeyValue(LogFields.DESTINATION, consumer)
            .addKeyValue(LogFields.ATTEMPT, attempt)
            .addKeyValue(LogFields.REASON, code);
    String named = LogFields.text(message, consumer);
    if (share.stack()) {
      line.setCause(Sanitiser.clean(thrown))
          .log("The handler failed at attempt {}: {}; {}", attempt, code, named);
    } else {
      line.log("The handler failed at attempt {}: {}; {}: {}", attempt, code, named, text(thrown));
    }
  }

  private static String text(Throwable thrown) {
    String text = thrown.getClass().getName() + ": " + Sanitiser.text(thrown);
    return LogFields.oneLine(text.length() <= TEXT ? text : text.substring(0, TEXT) + "…");
  }
}
