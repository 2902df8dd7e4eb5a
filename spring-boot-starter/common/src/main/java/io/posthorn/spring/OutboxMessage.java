package io.posthorn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a class whose events go into the outbox: events passed to {@link TransactionalOutbox#add},
 * and events published with an {@code ApplicationEventPublisher}.
 *
 * <pre>{@code
 * @OutboxMessage(type = "OrderPlaced", aggregate = "order", key = "orderId")
 * record OrderPlaced(String orderId, int total) {}
 * }</pre>
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxMessage {
  /** The stable logical name, used in the database and by receivers. */
  String type();

  /** The version of the payload's schema, which the application counts. */
  int schemaVersion() default 1;

  /** The aggregate type of the key; required if there is a key. */
  String aggregate() default "";

  /**
   * The record component, or the method without parameters, that returns the aggregate's id.
   * Messages of one key keep their order; messages without a key have no order.
   */
  String key() default "";
}
