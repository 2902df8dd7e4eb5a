package io.posthorn.core.message;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class of events, and sets what the class itself does not say. A record without this
 * annotation is an event class, too: its type is its simple name, and its version is 1.
 *
 * <pre>{@code
 * @OutboxMessage(schemaVersion = 2)
 * record OrderPlaced(@MessageKey("order") String orderId, int total) {}
 * }</pre>
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxMessage {
  /**
   * The stable logical name, used in the database and by receivers; default: the simple name of the
   * class. Set it before you rename the class, because messages that are stored keep their type.
   */
  String type() default "";

  /** The version of the payload's schema, which the application counts. */
  int schemaVersion() default 1;
}
