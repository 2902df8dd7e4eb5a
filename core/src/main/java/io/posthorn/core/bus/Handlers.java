package io.posthorn.core.bus;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadReader;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.message.SchemaVersions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The handlers of one consumer, by type. */
final class Handlers {
  private final Map<String, VersionHandler> byType;
  private final Set<String> ignored;
  private final boolean ignoresUnknown;
  private final SchemaVersions versions;
  private final PayloadSchemas schemas;

  Handlers(
      Map<String, VersionHandler> byType,
      Set<String> ignored,
      boolean ignoresUnknown,
      MessageTypes types) {
    this.byType = Map.copyOf(byType);
    this.ignored = Set.copyOf(ignored);
    this.ignoresUnknown = ignoresUnknown;
    this.versions = types.versions();
    this.schemas = types.schemas();
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

  /** Why the handler of this type cannot read this version; empty if it can, or if none exists. */
  Optional<String> versionProblem(String type, int version) {
    VersionHandler handler = byType.get(type);
    return handler == null
        ? Optional.empty()
        : versions.problemWith(type, version, handler.version());
  }

  void handle(Handling handling) throws Exception {
    Message written = handling.message();
    VersionHandler handler = byType.get(written.type());
    if (handler == null) {
      throw new IllegalStateException("no handler for " + written);
    }
    requireSchema(written, "");
    Message message = versions.upcast(written, handler.version());
    if (message.schemaVersion() != written.schemaVersion()) {
      requireSchema(message, ", converted from version " + written.schemaVersion() + ",");
    }
    handling.call(handler.handler(), message);
  }

  private void requireSchema(Message message, String how) {
    Optional<String> problem = schemas.problemWith(message);
    if (problem.isPresent()) {
      throw new RejectedException(
          Reason.SCHEMA_MISMATCH,
          "the payload of '%s'%s was not handled: %s"
              .formatted(message.type(), how, problem.get()));
    }
  }

  /** Converts a handler of event objects to a handler of messages. */
  static <T> EventHandler<Message> reading(
      PayloadReader reader, Class<T> eventClass, EventHandler<? super T> handler) {
    return (message, handling) -> handler.handle(read(reader, eventClass, message), handling);
  }

  private static <T> T read(PayloadReader reader, Class<T> eventClass, Message message) {
    Object event;
    try {
      event = reader.read(message, eventClass);
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
