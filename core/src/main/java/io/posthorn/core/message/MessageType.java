package io.posthorn.core.message;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One registered type.
 *
 * @param name stable logical name, as it stands in the database and at the receiver
 * @param schemaVersion written into messages made from event objects
 * @param eventClass the class whose instances {@link MessageTypes#message} turns into this type
 * @param validator may refuse a message at {@code add}
 */
public record MessageType(
    String name, int schemaVersion, @Nullable Class<?> eventClass, Validator validator) {

  public static MessageType named(String name) {
    return new MessageType(name, 1, null, message -> Optional.empty());
  }

  public MessageType schemaVersion(int version) {
    return new MessageType(name, version, eventClass, validator);
  }

  public MessageType from(Class<?> event) {
    return new MessageType(name, schemaVersion, event, validator);
  }

  /** Adds a check; all checks of a type must agree. */
  public MessageType check(Validator next) {
    return new MessageType(name, schemaVersion, eventClass, validator.and(next));
  }
}
