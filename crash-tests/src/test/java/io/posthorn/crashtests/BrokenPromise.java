package io.posthorn.crashtests;

/**
 * Something was lost, doubled without need, or came in another order. No repetition excuses that:
 * {@code ./check} knows it by its name.
 */
final class BrokenPromise extends AssertionError {
  private static final long serialVersionUID = 1L;

  BrokenPromise(String message) {
    super(message);
  }
}
