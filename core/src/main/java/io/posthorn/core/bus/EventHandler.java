package io.posthorn.core.bus;

/**
 * Your code for one type of message. Everything that it writes through {@link
 * Handling#connection()} or publishes is committed together with the receipt, or not at all.
 *
 * @param <T> the class of the event, or {@code Message} for a handler that reads the bytes itself
 */
@FunctionalInterface
public interface EventHandler<T> {
  /**
   * Handles the message. If it returns, the message counts as handled. If it throws, a {@code
   * Classifier} decides what the exception means; by default the message is retried. Throw a {@code
   * RejectedException} if a retry is useless: the message then becomes a dead letter at once.
   */
  void handle(T event, Handling handling) throws Exception;
}
