package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A type of messages that an application registers with {@link MessageTypes}.
 *
 * @param name the stable logical name that the database and receivers know the type by
 * @param schemaVersion the version that messages made from event objects get
 * @param eventClass the class whose instances {@link MessageTypes#message} converts to this type
 * @param keyOf computes the key of messages made from event objects; null means no order
 * @param validator checks each message when it is added, and may refuse it
 */
public record MessageType(
    String name,
    int schemaVersion,
    @Nullable Class<?> eventClass,
    @Nullable Function<Object, Key> keyOf,
    Validator validator) {

  /** A type with this name, with version 1, no event class and no check. */
  public static MessageType named(String name) {
    return new MessageType(name, 1, null, null, message -> Optional.empty());
  }

  /**
   * The type of this class of events: its name, version and key are those of {@link OutboxMessage}
   * and {@link MessageKey}. Without them, the type is the simple name of the class, the version is
   * 1 and messages have no key.
   *
   * @throws io.posthorn.core.error.PosthornException if the annotations contradict each other
   */
  public static MessageType of(Class<?> event) {
    return EventClass.type(event);
  }

  /**
   * The type of this class of events, whose messages are about an aggregate, for classes that you
   * cannot or do not want to annotate.
   *
   * @param id reads the id of the aggregate from an event; what it returns becomes a text
   */
  public static <E> MessageType of(
      Class<E> event, String aggregateType, Function<? super E, ?> id) {
    return of(event).from(event, aggregateType, id);
  }

  /** Sets the version that messages made from event objects get. */
  public MessageType schemaVersion(int version) {
    return new MessageType(name, version, eventClass, keyOf, validator);
  }

  /** Maps event objects of this class to this type. Their messages have no key, so no order. */
  public MessageType from(Class<?> event) {
    return new MessageType(name, schemaVersion, event, null, validator);
  }

  /**
   * Maps event objects of this class to this type. Their messages are about an aggregate, and keep
   * their order per aggregate.
   *
   * @param id reads the id of the aggregate from an event object; what it returns becomes a text
   */
  public <E> MessageType from(Class<E> event, String aggregateType, Function<? super E, ?> id) {
    return new MessageType(name, schemaVersion, event, key(event, aggregateType, id), validator);
  }

  private <E> Function<Object, Key> key(
      Class<E> events, String aggregateType, Function<? super E, ?> id) {
    return event -> {
      Object value = id.apply(events.cast(event));
      if (value == null) {
        throw new PosthornException(
            ErrorCode.INVALID_MESSAGE,
            "message '%s' was not created: the key '%s' of %s is null, but messages without a key have no order. Give the event its id."
                .formatted(name, aggregateType, event.getClass().getName()));
      }
      return new Key(aggregateType, value.toString());
    };
  }

  /** Gives this type a key by a rule for events of this class, if it is one of them. */
  <E> MessageType keyedBy(Class<E> events, String aggregateType, Function<? super E, ?> id) {
    if (eventClass == null || !events.isAssignableFrom(eventClass)) {
      return this;
    }
    if (keyOf != null) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "type '%s' was not registered: keyedBy(%s.class, …) gives it a key, but it has one already, by @MessageKey or another rule. Remove one."
              .formatted(name, events.getSimpleName()));
    }
    Function<Object, Key> key = key(events, aggregateType, id);
    return new MessageType(name, schemaVersion, eventClass, key, validator);
  }

  /** Adds a check. A message must pass all checks of its type. */
  public MessageType check(Validator next) {
    return new MessageType(name, schemaVersion, eventClass, keyOf, validator.and(next));
  }
}
