package io.posthorn.core.message;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the component of a record, or the method without parameters, that returns the id of the
 * aggregate an event is about. Messages of one key are delivered in the order in which they were
 * added; messages without a key have no order.
 *
 * <pre>{@code
 * record OrderPlaced(@MessageKey("order") String orderId, int total) {}
 * record OrderPaid(@MessageKey("order") String orderId) {}       // delivered after OrderPlaced
 * }</pre>
 */
@Documented
@Target({ElementType.RECORD_COMPONENT, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
public @interface MessageKey {
  /** The type of the aggregate, for example {@code order}. Events of one aggregate share it. */
  String value();
}
