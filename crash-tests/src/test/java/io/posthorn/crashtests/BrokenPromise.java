package io.posthorn.crashtests;

import java.sql.SQLException;
import org.awaitility.core.ConditionTimeoutException;

/**
 * Something was lost, invented, or came in another order, or more often than it may; something was
 * done by one who may not any more; or nobody took over. No repetition of the test excuses that:
 * {@code ./check} knows it by its name.
 */
final class BrokenPromise extends AssertionError {
  private static final long serialVersionUID = 1L;

  /** What is promised. */
  interface Assertions {
    void run() throws SQLException;
  }

  BrokenPromise(String message) {
    super(message);
  }

  private BrokenPromise(Throwable cause) {
    super(cause.getMessage(), cause);
  }

  /** Broken if these assertions fail, or what they wait for does not come. */
  static void unless(Assertions assertions) {
    try {
      assertions.run();
    } catch (AssertionError | ConditionTimeoutException e) {
      throw new BrokenPromise(e);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
