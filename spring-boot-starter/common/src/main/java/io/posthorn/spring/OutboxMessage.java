package io.posthorn.spring;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The events of this class go into the outbox: those given to {@link TransactionalOutbox#add}, and
 * those published by an {@code ApplicationEventPublisher}.
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
  /** The stable logical name, as it stands in the database and at the receiver. */
  String type();

  /** Yours to count. */
  int schemaVersion() default 1;

  /** The aggregate type of the key; required if there is a key. */
  String aggregate() default "";

  /**
   * The component of the record, or the method without parameters, that tells the aggregate's id.
   * Messages of one key keep their order; no key = no order.
   */
  String key() default "";
}
