package io.posthorn.spring;

import io.posthorn.core.bus.Mode;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * This method of a bean handles messages of one type, each once in effect.
 *
 * <pre>{@code
 * @MessageHandler(consumer = "stock")
 * void take(OrderPlaced placed) {
 *   stock.take(placed.items());                            // in the transaction of the receipt
 *   outbox.add(new OrderPacked(placed.orderId()));         // and this, too
 * }
 * }</pre>
 *
 * <p>It is called within a Spring transaction on the outbox's DataSource, in which the receipt is
 * written: whatever takes part in Spring's transactions is committed together with it, or not at
 * all. What the method throws is tried again; a {@code RejectedException} makes the message a dead
 * letter at once.
 *
 * <p>Parameters, in any order, all optional: the payload, read as the class of the parameter
 * ({@code byte[]} gets it as it is); {@code Message}; {@code Handling}; {@code Connection}.
 *
 * <p>{@code source}, {@code mode}, {@code latestWins}, {@code batch} and the retry policy hold for
 * the consumer: it is enough that one of its methods says them.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface MessageHandler {
  /** What the database knows the consumer by; each consumer handles every message for itself. */
  String consumer();

  /** Default: the type that the class of the payload is registered for. */
  String type() default "";

  /** Name of the source that messages come from; default: the log of this database. */
  String source() default "";

  /** Whether to handle at once what a source brings, or to store it first. */
  Mode mode() default Mode.DIRECT;

  /** A message older than what was handled of its key is noted and not handled. */
  boolean latestWins() default false;

  /**
   * Most messages in one transaction; default 100. A method with effects outside the database (a
   * mail) wants 1.
   */
  int batch() default 0;

  /** So many attempts, then it is a dead letter; default 10. */
  int attempts() default 0;

  /** Pause after the first attempt, for example 500ms; it is doubled each time. Default 1s. */
  String backoff() default "";

  /** The longest pause; default 60s. */
  String longestBackoff() default "";
}
