package io.posthorn.core.trace;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import org.slf4j.MDC;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The fields of log lines: key/value pairs of Posthorn's own, and the MDC of handlers, so that what
 * your code logs can be found by the message it worked on.
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

  private LogFields() {}

  /** What names the message; nothing of what is in it. */
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

  /** Into the MDC of this thread, until {@link #leave}. */
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

  /** Takes out of the MDC what {@link #enter} put there, and leaves the rest. */
  public static void leave() {
    MDC.remove(CONSUMER);
    MDC.remove(MESSAGE_ID);
    MDC.remove(TYPE);
    MDC.remove(KEY);
    MDC.remove(CORRELATION_ID);
    MDC.remove(ATTEMPT);
  }
}
