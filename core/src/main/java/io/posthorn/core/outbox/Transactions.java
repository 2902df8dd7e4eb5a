package io.posthorn.core.outbox;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a transaction that may or may not have been committed. If the connection breaks during
 * COMMIT, nobody can tell which; doing it again could do it twice. So the transaction notes an id
 * of its own first: if that id is there already, the first try was committed and nothing is done.
 */
public final class Transactions {
  private static final int TRIES = 6;
  private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

  private final OutboxStore store;

  private Transactions(OutboxStore store) {
    this.store = store;
  }

  public static Transactions on(OutboxStore store) {
    return new Transactions(store);
  }

  /**
   * Runs the work in a transaction and commits it, exactly once for this id, trying again after a
   * broken connection, a deadlock or a serialization failure.
   *
   * @param id names this business transaction; the same on every call that means the same
   * @return true if this call did it; false if it was done before
   */
  public boolean retrying(DataSource dataSource, UUID id, Work work) {
    @Nullable SQLException last = null;
    for (int attempt = 1; attempt <= TRIES; attempt++) {
      try {
        return attempt(dataSource, id, work);
      } catch (SQLException e) {
        last = retryable(id, e);
      } catch (PosthornException e) {
        if (!(e.getCause() instanceof SQLException cause)) {
          throw e;
        }
        last = retryable(id, cause);
      }
      LockSupport.parkNanos(FIRST_PAUSE.toNanos() << (attempt - 1));
    }
    throw new PosthornException(
        ErrorCode.TRANSACTION_FAILED,
        "transaction %s is not known to be done: %d tries failed. Call again with the same id: it is done at most once."
            .formatted(id, TRIES),
        last);
  }

  private boolean attempt(DataSource dataSource, UUID id, Work work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      boolean committed = false;
      try {
        if (!store.note(connection, id)) {
          return false;
        }
        work.run(connection);
        requireUnbroken(connection, id);
        connection.commit();
        committed = true;
        return true;
      } finally {
        if (!committed && !connection.isClosed() && connection.isValid(1)) {
          connection.rollback();
        }
        if (!connection.isClosed()) {
          connection.setAutoCommit(autoCommit);
        }
      }
    }
  }

  /**
   * Work may swallow an error after which the transaction can only be rolled back; COMMIT then does
   * that, and drivers need not say so. Or it may roll back by itself. Either way the note of the id
   * tells: it cannot be asked for, or is gone.
   */
  private void requireUnbroken(Connection connection, UUID id) {
    if (store.note(connection, id)) {
      throw new PosthornException(
          ErrorCode.TRANSACTION_FAILED,
          "transaction %s was not done: its work rolled it back. Throw an exception to have it rolled back; do not end it inside."
              .formatted(id));
    }
  }

  private static SQLException retryable(UUID id, SQLException e) {
    String state = String.valueOf(e.getSQLState());
    boolean again =
        state.startsWith("08") // the connection
            || state.startsWith("57P") // the server is stopping or starting
            || state.equals("40001") // serialization failure
            || state.equals("40P01"); // deadlock
    if (!again) {
      throw new PosthornException(
          ErrorCode.TRANSACTION_FAILED,
          "transaction %s was not done: the database refused it (SQLSTATE %s), and trying again would not help. See the cause."
              .formatted(id, state),
          e);
    }
    return e;
  }

  /** What is done in the transaction; it neither commits nor closes. */
  @FunctionalInterface
  public interface Work {
    void run(Connection tx) throws SQLException;
  }
}
