package io.posthorn.core.outbox;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.ErrorMeaning;
import io.posthorn.core.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Repeats a transaction whose outcome is unknown, and commits it exactly once.
 *
 * <p>If the connection breaks during COMMIT, the caller cannot know whether the transaction was
 * committed, and a second try could do the work twice. So each try first notes the id of the
 * business transaction. If the id is noted already, an earlier try was committed, and the work is
 * not done again.
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
   * Runs the work in a transaction and commits it, exactly once for this id. After a lost
   * connection, a deadlock or a serialization failure, the transaction is tried again.
   *
   * @param id names the business transaction; every call for the same transaction passes the same
   * @return true if this call did the work; false if it was done before
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
        ErrorCode.TRANSACTION_UNCONFIRMED,
        "it is not known whether transaction %s was done: %d tries failed. Call again with the same id: the transaction is done at most once."
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
   * Fails if the work has spoilt or ended the transaction, so that the note of the id cannot be
   * read or is gone.
   *
   * <p>Work may swallow an error after which the database only allows a rollback. COMMIT then rolls
   * back, and drivers need not report it. Or the work may roll back itself.
   */
  private void requireUnbroken(Connection connection, UUID id) {
    if (store.note(connection, id)) {
      throw new PosthornException(
          ErrorCode.TRANSACTION_ENDED,
          "transaction %s was not done: its work rolled it back. To have the transaction rolled back, throw an exception; do not end it inside the work."
              .formatted(id));
    }
  }

  /** The error, if another try may succeed; or else throws. */
  private SQLException retryable(UUID id, SQLException e) {
    ErrorMeaning meaning = store.meaningOf(e);
    if (meaning != ErrorMeaning.CONNECTION_LOST && meaning != ErrorMeaning.CONFLICT) {
      throw new PosthornException(
          ErrorCode.TRANSACTION_FAILED,
          "transaction %s was not done: the database refused it (SQLSTATE %s), and another try would not help. See the cause."
              .formatted(id, e.getSQLState()),
          e);
    }
    return e;
  }

  /** The work of the transaction. It must neither commit nor close the connection. */
  @FunctionalInterface
  public interface Work {
    void run(Connection tx) throws SQLException;
  }
}
