package io.posthorn.spring;

import io.posthorn.core.bus.Mode;
import io.posthorn.core.store.AfterDead;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.transaction.annotation.Isolation;

/**
 * Marks a bean method that handles messages of one type, each exactly once in effect.
 *
 * <pre>{@code
 * @MessageHandler(consumer = "stock")
 * void take(OrderPlaced placed) {
 *   stock.take(placed.items());                            // in the transaction of the receipt
 *   outbox.add(new OrderPacked(placed.orderId()));         // in the same transaction
 * }
 * }</pre>
 *
 * <p>The method is called within a Spring transaction on the outbox's DataSource, in which the
 * receipt is written. Everything that takes part in Spring's transactions is committed together
 * with the receipt, or not at all. If the method throws, the message is retried; a {@code
 * RejectedException} makes it a dead letter at once.
 *
 * <p>All parameters are optional and in any order: the payload, read as the parameter's class
 * ({@code byte[]} gets it unchanged); {@code Message}; {@code Handling}; {@code Connection}.
 *
 * <p>Everything except {@code type} applies to the whole consumer: setting it on one of its methods
 * is enough. The properties {@code posthorn.consumers.<name>.*} override what is set here.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface MessageHandler {
  /** The consumer's name in the database; each consumer handles every message on its own. */
  String consumer();

  /** The message type; default: the one registered for the payload's class. */
  String type() default "";

  /** The name of the source of its messages; default: the log of this database. */
  String source() default "";

  /** Whether a source's messages are handled at once or stored first. */
  Mode mode() default Mode.DIRECT;

  /** Whether a message is skipped, but noted, if a newer one of its key has been handled. */
  boolean latestWins() default false;

  /**
   * The most messages in one transaction; default 100. Set 1 if the method has effects outside the
   * database, such as sending a mail.
   */
  int batch() default 0;

  /** After this many attempts a message becomes a dead letter; default 10. */
  int attempts() default 0;

  /** Pause after the first attempt, for example 500ms; doubled each time. Default 1s. */
  String backoff() default "";

  /** The longest pause; default 60s. */
  String longestBackoff() default "";

  /** A message is also dead this long after its first failure; default 24h. */
  String timeLimit() default "";

  /**
   * Exceptions that are never retried, with their subclasses: the message becomes a dead letter at
   * once, also if one of them is only a cause.
   */
  Class<? extends Throwable>[] neverRetried() default {};

  /** What happens to the later messages of a key when one of its messages dies. */
  AfterDead afterDead() default AfterDead.CONTINUE;

  /** The isolation level of the transaction; default: the one of the connection. */
  Isolation isolation() default Isolation.DEFAULT;

  /**
   * Whether handling a message twice does no harm, even at the same time. No receipts are then kept
   * of handled messages.
   */
  boolean idempotent() default false;
}
