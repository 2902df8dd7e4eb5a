package io.posthorn.core.bus;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.PayloadReader;
import java.util.Map;
import java.util.Set;

/** The handlers of one consumer, by type. */
final class Handlers {
  private final Map<String, EventHandler<Message>> byType;
  private final Set<String> ignored;
  private final boolean ignoresUnknown;

  Handlers(Map<String, EventHandler<Message>> byType, Set<String> ignored, boolean ignoresUnknown) {
    this.byType = Map.copyOf(byType);
    this.ignored = Set.copyOf(ignored);
    this.ignoresUnknown = ignoresUnknown;
  }

  Set<String> types() {
    return byType.keySet();
  }

  boolean has(String type) {
    return byType.containsKey(type);
  }

  /** Whether the consumer ignores messages of this type. */
  boolean ignores(String type) {
    return !has(type) && (ignoresUnknown || ignored.contains(type));
  }

  void handle(Handling handling) throws Exception {
    EventHandler<Message> handler = byType.get(handling.message().type());
    if (handler == null) {
      throw new IllegalStateException("no handler for " + handling.message());
    }
    handling.call(handler);
  }

  /** Converts a handler of event objects to a handler of messages. */
  static <T> EventHandler<Message> reading(
      PayloadReader reader, Class<T> eventClass, EventHandler<? super T> handler) {
    return (message, handling) -> handler.handle(read(reader, eventClass, message), handling);
  }

  private static <T> T read(PayloadReader reader, Class<T> eventClass, Message message) {
    Object event;
    try {
      event = reader.read(message.payload(), eventClass);
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (Exception | Error e) {
      // The exception's text could quote the payload.
      throw unreadable(message, eventClass, e.getClass().getSimpleName());
    }
    if (!eventClass.isInstance(event)) {
      throw unreadable(
          message, eventClass, event == null ? "it is null" : "it is a " + event.getClass());
    }
    return eventClass.cast(event);
  }

  private static RejectedException unreadable(Message message, Class<?> eventClass, String why) {
    return new RejectedException(
        Reason.SCHEMA_MISMATCH,
        "the payload of '%s' could not be read as %s: %s"
            .formatted(message.type(), eventClass.getSimpleName(), why));
  }
}
