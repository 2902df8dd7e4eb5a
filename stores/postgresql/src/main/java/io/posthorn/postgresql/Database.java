package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.error.Sanitiser;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs the relay's transactions, and its reading. Each transaction is READ COMMITTED whatever the
 * pool's default is, and commits synchronously whatever the role's default is. All settings are
 * local to the transaction, and are sent together with its first statement, so that they cost no
 * round trip and leave nothing behind in a connection that a pooler hands to somebody else.
 *
 * <p>A program that freezes in the middle of a transaction would keep its locks, and nobody could
 * take over its lanes. No transaction here waits between its statements, so the server ends one
 * that does.
 */
final class Database {
  private static final Sql COMMIT = Sql.of("commit", "COMMIT");

  private final DataSource dataSource;
  private final Tables tables;
  private final Duration patience;
  private final Settings forTransactions;
  private final Settings forReading;
  private final Settings forQuestions;
  private volatile @Nullable String isolation;

  Database(DataSource dataSource, Tables tables) {
    this(dataSource, tables, Duration.ZERO);
  }

  private Database(DataSource dataSource, Tables tables, Duration patience) {
    this.dataSource = dataSource;
    this.tables = tables;
    this.patience = patience;
    this.forTransactions = Settings.transaction(patience);
    this.forReading = Settings.reading(patience);
    this.forQuestions = Settings.question(patience);
  }

  /**
   * The same, where a statement has failed that the server has not answered within this time: a
   * connection that went dead in silence would keep its thread for ever. The server gives it up a
   * little sooner: it would keep its locks.
   */
  Database answeringWithin(Duration time) {
    return new Database(dataSource, tables, time);
  }

  Tables tables() {
    return tables;
  }

  /** Runs the work in a transaction of its own and commits it; any failure rolls it back. */
  <T> T transaction(String what, Work<T> work) {
    return connected(what, connection -> transaction(connection, forTransactions, work));
  }

  private <T> T connected(String what, Use<T> use) {
    try (Connection connection = dataSource.getConnection()) {
      if (patience.isZero()) {
        return use.of(connection);
      }
      int before = connection.getNetworkTimeout();
      boolean longer = before == 0 || before > patience.toMillis();
      return longer ? patiently(connection, before, use) : use.of(connection);
    } catch (SQLException e) {
      throw SqlFailures.translate(what, e);
    }
  }

  private <T> T patiently(Connection connection, int before, Use<T> use) throws SQLException {
    connection.setNetworkTimeout(Runnable::run, (int) patience.toMillis());
    T result;
    try {
      result = use.of(connection);
    } catch (SQLException | RuntimeException | Error e) {
      forget(connection, before, e);
      throw e;
    }
    connection.setNetworkTimeout(Runnable::run, before);
    return result;
  }

  /** A connection that is broken has nothing to be given back; what broke it is what to report. */
  private static void forget(Connection connection, int before, Throwable why) {
    try {
      if (!connection.isClosed()) {
        connection.setNetworkTimeout(Runnable::run, before);
      }
    } catch (SQLException e) {
      why.addSuppressed(e);
    }
  }

  private <T> T transaction(Connection connection, Settings settings, Work<T> work)
      throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(false);
    T result;
    try {
      Tx tx = new Tx(connection, settings, true);
      result = work.run(tx);
      tx.commit();
    } catch (SQLException | RuntimeException | Error e) {
      undo(connection, autoCommit, e);
      throw e;
    }
    connection.setAutoCommit(autoCommit);
    return result;
  }

  /** Runs one reading statement, in one round trip. */
  <T> T read(String what, Sql sql, Read<T> read) {
    return read(what, forReading, sql, read);
  }

  /** The same for what people ask, where every part of a question may be missing. */
  <T> T ask(String what, Sql sql, Read<T> read) {
    return read(what, forQuestions, sql, read);
  }

  private <T> T read(String what, Settings settings, Sql sql, Read<T> read) {
    return reads(
        what,
        settings,
        tx -> {
          try (Query query = tx.query(sql)) {
            return read.run(query);
          }
        });
  }

  /**
   * Runs statements that only read, each by itself: one round trip each, where a transaction has
   * one more.
   */
  <T> T reads(String what, Work<T> work) {
    return reads(what, forReading, work);
  }

  /** The same for what people ask. */
  <T> T asks(String what, Work<T> work) {
    return reads(what, forQuestions, work);
  }

  /** The same, where the answers must be of one moment. */
  <T> T asksAtOnce(String what, Work<T> work) {
    return connected(what, connection -> transaction(connection, forQuestions.oneSnapshot(), work));
  }

  private <T> T reads(String what, Settings settings, Work<T> work) {
    return connected(
        what,
        connection -> {
          boolean autoCommit = connection.getAutoCommit();
          connection.setAutoCommit(true);
          try {
            if (!isReadCommitted(connection)) {
              return transaction(connection, settings.readCommitted(), work);
            }
            return work.run(new Tx(connection, settings, false));
          } finally {
            connection.setAutoCommit(autoCommit);
          }
        });
  }

  /**
   * What a pool or a role has by default; asked once. What only reads would take part in conflicts
   * of writers, if it were SERIALIZABLE, and these would fail.
   */
  private boolean isReadCommitted(Connection connection) throws SQLException {
    String known = isolation;
    if (known == null) {
      try (var statement = connection.createStatement();
          var row = statement.executeQuery("SHOW default_transaction_isolation")) {
        row.next();
        known = row.getString(1);
      }
      isolation = known;
    }
    return known.equals("read committed");
  }

  /** A broken connection rolls back by itself; what broke it is what to report. */
  private static void undo(Connection connection, boolean autoCommit, Throwable why) {
    try {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      why.addSuppressed(e);
    }
  }

  /** A running transaction, or statements that only read. */
  final class Tx {
    private final Connection connection;
    private final Settings forAll;
    private final boolean transaction;
    private boolean settingsSent;
    private @Nullable Query last;

    private Tx(Connection connection, Settings forAll, boolean transaction) {
      this.connection = connection;
      this.forAll = forAll;
      this.transaction = transaction;
    }

    /** Several statements make one round trip; their results come in the same order. */
    Query query(Sql... statements) throws SQLException {
      Settings settings = settingsSent ? Settings.NONE : forAll;
      settingsSent = transaction;
      return new Query(connection, tables, settings, statements);
    }

    /** A statement that the commit follows in the same round trip; see {@link #commitWith}. */
    Query commitQuery(Sql statement) throws SQLException {
      return query(statement, COMMIT);
    }

    /** Runs this once all the rest is done. It must be of {@link #commitQuery}. */
    void commitWith(Query query) {
      last = query;
    }

    /** If the statement has committed, the driver knows, and asks the server nothing more. */
    private void commit() throws SQLException {
      try (Query query = last) {
        if (query != null) {
          query.update();
        }
      }
      connection.commit();
    }

    Connection connection() {
      return connection;
    }

    Tables tables() {
      return tables;
    }

    /** Runs the work; if it fails, the transaction goes on as if it had not been tried. */
    <T> T trying(Attempt<T> work) throws SQLException {
      if (connection.getAutoCommit()) {
        return work.run();
      }
      Savepoint before = connection.setSavepoint();
      try {
        T result = work.run();
        connection.releaseSavepoint(before);
        return result;
      } catch (SQLException e) {
        connection.rollback(before);
        throw e;
      }
    }

    /** Runs text that is no prepared statement, for example a lock on a table. */
    void execute(String text) throws SQLException {
      try (var statement = connection.createStatement()) {
        statement.execute(tables.in(text));
      }
    }
  }

  /** What is done with a connection. */
  @FunctionalInterface
  private interface Use<T> {
    T of(Connection connection) throws SQLException;
  }

  /** What is done in a transaction. */
  @FunctionalInterface
  interface Work<T> {
    T run(Tx tx) throws SQLException;
  }

  /** What may fail. */
  @FunctionalInterface
  interface Attempt<T> {
    T run() throws SQLException;
  }

  /** What is read by one statement. */
  @FunctionalInterface
  interface Read<T> {
    T run(Query query) throws SQLException;
  }

  static PosthornException failed(String what, SQLException e) {
    return new PosthornException(
        ErrorCode.STORE_FAILED,
        "%s was not done: the database answered %s (SQLSTATE %s). A relay tries again by itself; otherwise try again, and see the cause if it stays."
            .formatted(what, firstLine(e), e.getSQLState()),
        e);
  }

  static String firstLine(SQLException e) {
    String text = Sanitiser.text(e);
    int end = text.indexOf('\n');
    return "'" + (end < 0 ? text : text.substring(0, end)) + "'";
  }
}
