package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The types this application may add. A type is looked up by its name and never by a class name, so
 * that renaming a class changes nothing in the database or at a receiver.
 */
public final class MessageTypes {
  private final Map<String, MessageType> byName = new HashMap<>();
  private final Map<Class<?>, MessageType> byClass = new HashMap<>();

  private MessageTypes(List<MessageType> types) {
    for (MessageType type : types) {
      Limits.checkTypeName(type.name());
      if (byName.put(type.name(), type) != null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "type '" + type.name() + "' was not registered: it is registered already. Keep one.");
      }
      Class<?> event = type.eventClass();
      if (event != null && byClass.put(event, type) != null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "type '%s' was not registered: %s belongs to another type already. Give each type its own class."
                .formatted(type.name(), event.getName()));
      }
    }
  }

  public static MessageTypes of(MessageType... types) {
    return new MessageTypes(List.of(types));
  }

  public static MessageTypes named(String... names) {
    return new MessageTypes(List.of(names).stream().map(MessageType::named).toList());
  }

  /** Starts a message from an event object whose class is registered. */
  public Message.Builder message(Object event, PayloadWriter writer) {
    MessageType type = byClass.get(event.getClass());
    if (type == null) {
      throw notRegistered(event.getClass().getName());
    }
    Message.Builder message =
        Message.of(type.name())
            .schemaVersion(type.schemaVersion())
            .json(bytesOf(type, event, writer));
    Function<Object, Key> keyOf = type.keyOf();
    if (keyOf != null) {
      Key key = keyOf.apply(event);
      message.key(key.aggregateType(), key.id());
    }
    return message;
  }

  /** The type that event objects of this class are; empty if the class is not registered. */
  public Optional<MessageType> of(Class<?> event) {
    return Optional.ofNullable(byClass.get(event));
  }

  /** Throws unless the message's type is registered and its checks agree. */
  public void check(Message message) {
    if (!contains(message.type())) {
      throw notRegistered(message.type());
    }
    problemWith(message)
        .ifPresent(
            problem -> {
              throw new PosthornException(
                  ErrorCode.REFUSED_BY_VALIDATOR,
                  "message '%s' (%s) was not added: %s. Correct the message; the check is the one registered for this type."
                      .formatted(message.type(), message.id(), problem));
            });
  }

  public boolean contains(String type) {
    return byName.containsKey(type);
  }

  /** What the checks of its type say against a message; none = nothing, or no such type. */
  public Optional<String> problemWith(Message message) {
    @Nullable MessageType type = byName.get(message.type());
    return type == null ? Optional.empty() : type.validator().problemWith(message);
  }

  private static byte[] bytesOf(MessageType type, Object event, PayloadWriter writer) {
    try {
      return writer.write(event);
    } catch (Exception e) {
      throw new PosthornException(
          ErrorCode.INVALID_MESSAGE,
          "message '%s' was not made: the payload writer could not write a %s. See the cause."
              .formatted(type.name(), event.getClass().getName()),
          e);
    }
  }

  private PosthornException notRegistered(String what) {
    return new PosthornException(
        ErrorCode.TYPE_NOT_REGISTERED,
        "message '%s' was not added: no such type is registered (registered: %s). Add it to MessageTypes."
            .formatted(what, new TreeSet<>(byName.keySet())));
  }
}
