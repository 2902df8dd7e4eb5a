package io.posthorn.testkit;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;

/** A business transaction that stays open until the test ends it. Closing it rolls it back. */
final class OpenTransaction implements AutoCloseable {
  private final Connection connection;
  private final OutboxStore store;

  OpenTransaction(DataSource dataSource, OutboxStore store) {
    this.store = store;
    try {
      this.connection = dataSource.getConnection();
      connection.setAutoCommit(false);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * Sets it for this transaction only: behind a pooler, a setting of the session would affect
   * others.
   */
  OpenTransaction set(String mode) {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET TRANSACTION " + mode);
      return this;
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  Connection connection() {
    return connection;
  }

  OpenTransaction add(Message... messages) {
    store.append(connection, Arrays.asList(messages), noCipher(messages.length), false);
    return this;
  }

  OpenTransaction addOrdered(Message... messages) {
    store.append(connection, Arrays.asList(messages), noCipher(messages.length), true);
    return this;
  }

  static List<String> noCipher(int messages) {
    return new ArrayList<>(Collections.nCopies(messages, ""));
  }

  void commit() {
    end(true);
  }

  void rollback() {
    end(false);
  }

  private void end(boolean commit) {
    try {
      if (commit) {
        connection.commit();
      } else {
        connection.rollback();
      }
      connection.close();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    try {
      if (!connection.isClosed()) {
        rollback();
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
