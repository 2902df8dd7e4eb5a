package io.posthorn.core.bus;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.trace.HandlerFailureLog;
import org.slf4j.event.Level;

/** Reports failed calls of one consumer's handlers to its observer and to the log. */
final class HandlerFailures {
  private final String consumer;
  private final Observer observer;
  private final HandlerFailureLog log = new HandlerFailureLog();

  HandlerFailures(String consumer, Observer observer) {
    this.consumer = consumer;
    this.observer = observer;
  }

  /**
   * Reports one failed call.
   *
   * @param attempt from 1
   * @param first whether it is the first call of this attempt. Only that one is a warning, so that
   *     repetitions in quick succession do not fill the log
   */
  void report(Message message, int attempt, boolean first, Throwable thrown, Outcome outcome) {
    Reason reason = outcome.reason();
    if (reason == null) {
      // A rule of the application decided that this exception is not a failure.
      return;
    }
    observer.on(new Event.HandlerFailed(consumer, message, attempt, reason));
    // An outage is repeated until it ends, and no attempt counts.
    boolean loud = first && !(outcome instanceof Outcome.Unavailable);
    log.log(loud ? Level.WARN : Level.DEBUG, consumer, message, attempt, reason.code(), thrown);
  }
}
