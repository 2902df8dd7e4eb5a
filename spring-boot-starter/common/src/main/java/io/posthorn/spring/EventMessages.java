package io.posthorn.spring;

import io.posthorn.core.bus.Handling;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Turns events into messages. */
public final class EventMessages {
  private final MessageTypes types;
  private final PayloadWriter writer;
  private final Map<Class<?>, Method> keys = new ConcurrentHashMap<>();

  public EventMessages(MessageTypes types, PayloadWriter writer) {
    this.types = types;
    this.writer = writer;
  }

  /**
   * Returns the message of an event; throws if the event's class is not registered. A message made
   * inside a handler is marked as caused by the message being handled.
   */
  public Message messageOf(Object event) {
    return Handling.following(startOf(event));
  }

  /** Returns the message of an event without a cause, for callers that set the cause themselves. */
  public Message.Builder startOf(Object event) {
    Message.Builder message = types.message(event, writer);
    OutboxMessage outboxMessage = event.getClass().getAnnotation(OutboxMessage.class);
    if (outboxMessage != null && !outboxMessage.key().isEmpty()) {
      message.key(outboxMessage.aggregate(), keyOf(event, outboxMessage));
    }
    return message;
  }

  private String keyOf(Object event, OutboxMessage outboxMessage) {
    Method method = keys.computeIfAbsent(event.getClass(), EventTypes::keyMethod);
    Object key;
    try {
      key = method.invoke(event);
    } catch (IllegalAccessException | InvocationTargetException e) {
      throw noKey(outboxMessage, method, "failed. See the cause", e);
    }
    if (key == null) {
      throw noKey(outboxMessage, method, "is null, but messages without a key have no order", null);
    }
    return key.toString();
  }

  private static PosthornException noKey(
      OutboxMessage outboxMessage, Method method, String why, @Nullable Throwable cause) {
    return new PosthornException(
        ErrorCode.INVALID_MESSAGE,
        "message '%s' was not made: its key %s.%s() %s."
            .formatted(
                outboxMessage.type(), method.getDeclaringClass().getName(), method.getName(), why),
        cause);
  }
}
