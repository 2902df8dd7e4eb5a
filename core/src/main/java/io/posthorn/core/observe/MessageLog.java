package io.posthorn.core.observe;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.trace.LogFields;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Writes what happens to messages to the logger {@value #LOGGER}. Lines about a single message have
 * level DEBUG; lines that a person should see have INFO or WARN. Every relay and bus has this log
 * without any configuration.
 *
 * <p>A failure is logged by its reason code only, because texts of receivers may quote a message.
 * The text is stored with the message. What a handler throws is logged once per attempt by {@link
 * io.posthorn.core.trace.HandlerFailureLog}.
 */
public final class MessageLog implements Observer {
  /** The name of the logger. */
  public static final String LOGGER = "io.posthorn.messages";

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);

  @Override
  public void on(Event event) {
    if (event instanceof Event.Dead dead) {
      of(Level.WARN, dead, dead.delivery().message())
          .addKeyValue(LogFields.REASON, dead.code())
          .log("Dead letter: {}; {}", dead.code(), text(event, dead.delivery().message()));
    } else if (event instanceof Event.BreakerOpened opened) {
      line(Level.WARN, opened)
          .addKeyValue(LogFields.REASON, opened.reason().code())
          .log(
              "Destination '{}' does not work, and its messages wait: {}",
              opened.destination(),
              opened.reason().code());
    } else if (event instanceof Event.BreakerClosed closed) {
      line(Level.INFO, closed).log("Destination '{}' works again", closed.destination());
    } else if (LOG.isDebugEnabled()) {
      detail(event);
    }
  }

  private static void detail(Event event) {
    if (event instanceof Event.Sent sent) {
      sent.deliveries()
          .forEach(
              delivery ->
                  attempt(event, delivery).log("Sent: {}", text(event, delivery.message())));
    } else if (event instanceof Event.CallFailed failed) {
      String code = failed.reason().code();
      attempt(event, failed.delivery())
          .addKeyValue(LogFields.REASON, code)
          .log("Attempt failed: {}; {}", code, text(event, failed.delivery().message()));
    } else if (event instanceof Event.Parked parked) {
      of(Level.DEBUG, event, parked.delivery().message())
          .log(
              "Parked ({}) for {}: {}",
              parked.waiting(),
              parked.delay(),
              text(event, parked.delivery().message()));
    } else if (event instanceof Event.Handled handled) {
      each(event, handled.messages(), "Handled");
    } else if (event instanceof Event.Stored stored) {
      each(event, stored.messages(), "Stored, to be handled later");
    } else if (event instanceof Event.Repeated repeated) {
      each(event, repeated.messages(), "Dropped: it was received before");
    } else if (event instanceof Event.Stale stale) {
      each(event, stale.messages(), "Skipped: a newer one of its key was handled");
    } else if (event instanceof Event.UnknownType unknown) {
      each(event, List.of(unknown.message()), "No handler for its type");
    }
  }

  private static void each(Event event, List<Message> messages, String what) {
    messages.forEach(
        message -> of(Level.DEBUG, event, message).log("{}; {}", what, text(event, message)));
  }

  private static String text(Event event, Message message) {
    return LogFields.text(message, event.destination());
  }

  private static LoggingEventBuilder attempt(Event event, Delivery delivery) {
    return of(Level.DEBUG, event, delivery.message())
        .addKeyValue(LogFields.ATTEMPT, delivery.attempts() + 1);
  }

  private static LoggingEventBuilder of(Level level, Event event, Message message) {
    return LogFields.of(message, line(level, event));
  }

  private static LoggingEventBuilder line(Level level, Event event) {
    return LOG.atLevel(level).addKeyValue(LogFields.DESTINATION, event.destination());
  }
}
