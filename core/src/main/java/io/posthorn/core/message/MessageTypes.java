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
 * The types of messages that this application may add. A type is always looked up by its logical
 * name, never by a class name. Renaming a class therefore changes nothing in the database or at a
 * receiver.
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
            "type '"
                + type.name()
                + "' was not registered: a type of this name is already registered. Remove one.");
      }
      Class<?> event = type.eventClass();
      if (event != null && byClass.put(event, type) != null) {
        throw new PosthornException(
            ErrorCode.CONFIGURATION,
            "type '%s' was not registered: %s already belongs to another type. Give each type its own class."
                .formatted(type.name(), event.getName()));
      }
    }
  }

  /** Registers these types. */
  public static MessageTypes of(MessageType... types) {
    return new MessageTypes(List.of(types));
  }

  /** Registers types of these names, without event classes and checks. */
  public static MessageTypes named(String... names) {
    return new MessageTypes(List.of(names).stream().map(MessageType::named).toList());
  }

  /**
   * Starts a message from an event object: the type, the version and the key are those registered
   * for its class, and the payload is what the writer makes of it.
   *
   * @throws PosthornException if the class is not registered, or the writer fails
   */
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

  /** The type of event objects of this class; empty if the class is not registered. */
  public Optional<MessageType> of(Class<?> event) {
    return Optional.ofNullable(byClass.get(event));
  }

  /**
   * Checks the message as {@code Outbox.add} does.
   *
   * @throws PosthornException if its type is not registered, or a check of its type refuses it
   */
  public void check(Message message) {
    if (!contains(message.type())) {
      throw notRegistered(message.type());
    }
    problemWith(message)
        .ifPresent(
            problem -> {
              throw new PosthornException(
                  ErrorCode.REFUSED_BY_VALIDATOR,
                  "message '%s' (%s) was not added: %s. Correct the message; the check is registered with its type."
                      .formatted(message.type(), message.id(), problem));
            });
  }

  /** Whether a type of this name is registered. */
  public boolean contains(String type) {
    return byName.containsKey(type);
  }

  /** The first objection of its type's checks; empty if there is none, or the type is unknown. */
  public Optional<String> problemWith(Message message) {
    @Nullable MessageType type = byName.get(message.type());
    return type == null ? Optional.empty() : type.validator().problemWith(message);
  }

  private static byte[] bytesOf(MessageType type, Object event, PayloadWriter writer) {
    try {
      return writer.write(event);
    } catch (Exception e) {
      throw new PosthornException(
          ErrorCode.PAYLOAD_NOT_WRITTEN,
          "message '%s' was not created: the payload writer could not write a %s. See the cause."
              .formatted(type.name(), event.getClass().getName()),
          e);
    }
  }

  private PosthornException notRegistered(String what) {
    return new PosthornException(
        ErrorCode.TYPE_NOT_REGISTERED,
        "message '%s' was not added: its type is not registered (registered: %s). Add the type to MessageTypes."
            .formatted(what, new TreeSet<>(byName.keySet())));
  }
}
