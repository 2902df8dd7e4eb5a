package io.posthorn.crashtests;

/**
 * Something was lost, invented, or came in another order; or nobody took over. No repetition of the
 * test excuses that: {@code ./check} knows it by its name.
 */
final class BrokenPromise extends AssertionError {
  private static final long serialVersionUID = 1L;

  BrokenPromise(String message) {
    super(message);
  }
}
