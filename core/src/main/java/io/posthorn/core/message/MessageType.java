package io.posthorn.core.message;

import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One registered type.
 *
 * @param name stable logical name, as it stands in the database and at the receiver
 * @param schemaVersion written into messages made from event objects
 * @param eventClass the class whose instances {@link MessageTypes#message} turns into this type
 * @param keyOf the key of messages made from event objects; none = no order
 * @param validator may refuse a message at {@code add}
 */
public record MessageType(
    String name,
    int schemaVersion,
    @Nullable Class<?> eventClass,
    @Nullable Function<Object, Key> keyOf,
    Validator validator) {

  public static MessageType named(String name) {
    return new MessageType(name, 1, null, null, message -> Optional.empty());
  }

  public MessageType schemaVersion(int version) {
    return new MessageType(name, version, eventClass, keyOf, validator);
  }

  /** Event objects of this class are of this type, and have no key. */
  public MessageType from(Class<?> event) {
    return new MessageType(name, schemaVersion, event, null, validator);
  }

  /**
   * Event objects of this class are of this type, and tell about an aggregate: those of one id keep
   * their order.
   */
  public <E> MessageType from(Class<E> event, String aggregateType, Function<E, String> id) {
    Function<Object, Key> key = object -> new Key(aggregateType, id.apply(event.cast(object)));
    return new MessageType(name, schemaVersion, event, key, validator);
  }

  /** Adds a check; all checks of a type must agree. */
  public MessageType check(Validator next) {
    return new MessageType(name, schemaVersion, eventClass, keyOf, validator.and(next));
  }
}
