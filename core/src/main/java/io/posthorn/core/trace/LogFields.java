package io.posthorn.core.trace;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.util.regex.Pattern;
import org.slf4j.MDC;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The names of the fields in log lines. Posthorn adds them to its own lines as key/value pairs, and
 * says the most important ones in the text too, because many layouts show only the text. It puts
 * them into the MDC while a handler runs. You can therefore find what your handler logged by the
 * message that it worked on.
 */
public final class LogFields {
  public static final String MESSAGE_ID = "posthorn.message_id";
  public static final String TYPE = "posthorn.type";
  public static final String KEY = "posthorn.key";
  public static final String CORRELATION_ID = "posthorn.correlation_id";
  public static final String DESTINATION = "posthorn.destination";
  public static final String CONSUMER = "posthorn.consumer";
  public static final String ATTEMPT = "posthorn.attempt";
  public static final String REASON = "posthorn.reason";
  public static final String RELAY = "posthorn.relay";

  private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\u2028\\u2029]");

  private LogFields() {}

  /** Adds the fields that name the message. Its content is never logged. */
  public static LoggingEventBuilder of(Message message, LoggingEventBuilder line) {
    LoggingEventBuilder named =
        line.addKeyValue(MESSAGE_ID, message.id()).addKeyValue(TYPE, message.type());
    Key key = message.key();
    if (key != null) {
      named = named.addKeyValue(KEY, key);
    }
    String correlation = message.headers().get(Headers.CORRELATION_ID);
    return correlation == null ? named : named.addKeyValue(CORRELATION_ID, correlation);
  }

  /**
   * Names the message in the text of a line: its id, type, key and destination. Line breaks and
   * other control characters, which could look like another line, become question marks.
   */
  public static String text(Message message, String destination) {
    Key key = message.key();
    return oneLine(
        "message %s of type '%s' with %s to '%s'"
            .formatted(
                message.id(),
                message.type(),
                key == null ? "no key" : "key '" + key + "'",
                destination));
  }

  static String oneLine(String text) {
    return CONTROL.matcher(text).replaceAll("?");
  }

  /** Puts the fields of the message into this thread's MDC, until {@link #leave}. */
  public static void enter(String consumer, Message message, String correlationId, int attempt) {
    MDC.put(CONSUMER, consumer);
    MDC.put(MESSAGE_ID, message.id().toString());
    MDC.put(TYPE, message.type());
    Key key = message.key();
    if (key != null) {
      MDC.put(KEY, key.toString());
    }
    MDC.put(CORRELATION_ID, correlationId);
    MDC.put(ATTEMPT, Integer.toString(attempt));
  }

  /** Removes from the MDC what {@link #enter} put there, and nothing else. */
  public static void leave() {
    MDC.remove(CONSUMER);
    MDC.remove(MESSAGE_ID);
    MDC.remove(TYPE);
    MDC.remove(KEY);
    MDC.remove(CORRELATION_ID);
    MDC.remove(ATTEMPT);
  }
}
