package io.posthorn.core.bus;

/**
 * Your code for one type of message. What it writes through {@link Handling#connection()} and what
 * it publishes is committed together with the receipt, or not at all.
 *
 * @param <T> the class of the event, or {@code Message} for a handler that reads the bytes itself
 */
@FunctionalInterface
public interface EventHandler<T> {
  /**
   * Returning means handled. What is thrown is classified (see {@code Classifier}) and tried again;
   * a {@code RejectedException} says that trying again is of no use.
   */
  void handle(T event, Handling handling) throws Exception;
}
