package io.posthorn.core.message;

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
   * @param id reads the id of the aggregate from an event
   */
  public static <E> MessageType of(Class<E> event, String aggregateType, Function<E, String> id) {
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
   * @param id reads the id of the aggregate from an event object
   */
  public <E> MessageType from(Class<E> event, String aggregateType, Function<E, String> id) {
    Function<Object, Key> key = object -> new Key(aggregateType, id.apply(event.cast(object)));
    return new MessageType(name, schemaVersion, event, key, validator);
  }

  /** Adds a check. A message must pass all checks of its type. */
  public MessageType check(Validator next) {
    return new MessageType(name, schemaVersion, eventClass, keyOf, validator.and(next));
  }
}
