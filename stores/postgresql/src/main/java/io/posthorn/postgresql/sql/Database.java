package io.posthorn.postgresql.sql;

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
 * Runs the relay's transactions and reading statements.
 *
 * <p>Each transaction is READ COMMITTED, whatever the pool's default, and commits synchronously,
 * whatever the role's default. All settings are local to the transaction and are sent together with
 * its first statement. They cost no round trip, and a pooler can give the connection to another
 * client afterwards.
 *
 * <p>A program that freezes in the middle of a transaction would keep its locks, and no other relay
 * could take over its lanes. No transaction here waits between its statements, so the server ends a
 * transaction that does.
 */
public final class Database {
  private static final Sql COMMIT = Sql.of("commit", "COMMIT");

  private final DataSource dataSource;
  private final TableNames tables;
  private final Duration patience;
  private final Settings forTransactions;
  private final Settings forReading;
  private final Settings forQuestions;
  private volatile @Nullable String isolation;

  public Database(DataSource dataSource, TableNames tables) {
    this(dataSource, tables, Duration.ZERO);
  }

  private Database(DataSource dataSource, TableNames tables, Duration patience) {
    this.dataSource = dataSource;
    this.tables = tables;
    this.patience = patience;
    this.forTransactions = Settings.transaction(patience);
    this.forReading = Settings.reading(patience);
    this.forQuestions = Settings.question(patience);
  }

  /**
   * Returns a database that fails statements which the server does not answer within this time.
   * Otherwise a connection that went dead silently would block its thread for ever. The server
   * gives the statement up a little sooner, so that it does not keep its locks.
   */
  public Database answeringWithin(Duration time) {
    return new Database(dataSource, tables, time);
  }

  public TableNames tables() {
    return tables;
  }

  /** Runs the work in a transaction of its own and commits it. Any failure rolls it back. */
  public <T> T transaction(String what, Work<T> work) {
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

  /**
   * Restores the timeout if the connection still works. The error that broke it is the one to
   * report.
   */
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
  public <T> T read(String what, Sql sql, Read<T> read) {
    return read(what, forReading, sql, read);
  }

  /** Runs one reading statement for people, whose conditions are all optional. */
  public <T> T ask(String what, Sql sql, Read<T> read) {
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
   * Runs statements that only read, without a transaction around them: a transaction costs one more
   * round trip.
   */
  public <T> T reads(String what, Work<T> work) {
    return reads(what, forReading, work);
  }

  /** Runs statements that only read, for people. */
  public <T> T asks(String what, Work<T> work) {
    return reads(what, forQuestions, work);
  }

  /** Runs statements that only read, for people, all in one snapshot. */
  public <T> T asksAtOnce(String what, Work<T> work) {
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
   * Whether the default of the pool or role is READ COMMITTED; asked once. A reading statement that
   * were SERIALIZABLE would take part in the conflicts of writers and make them fail.
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

  /**
   * Rolls back. A broken connection rolls back by itself, and the error that broke it is the one to
   * report.
   */
  private static void undo(Connection connection, boolean autoCommit, Throwable why) {
    try {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
    } catch (SQLException e) {
      why.addSuppressed(e);
    }
  }

  /** A running transaction, or a series of statements that only read. */
  public final class Tx {
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

    /** Prepares statements that run in one round trip. Their results arrive in the same order. */
    public Query query(Sql... statements) throws SQLException {
      Settings settings = settingsSent ? Settings.NONE : forAll;
      settingsSent = transaction;
      return new Query(connection, tables, settings, statements);
    }

    /**
     * Prepares a statement together with the commit, in one round trip; see {@link #commitWith}.
     */
    public Query commitQuery(Sql statement) throws SQLException {
      return query(statement, COMMIT);
    }

    /** Runs this query as the last of the transaction. It must come from {@link #commitQuery}. */
    public void commitWith(Query query) {
      last = query;
    }

    /** Commits. If the last statement has committed, the driver knows and sends nothing more. */
    private void commit() throws SQLException {
      try (Query query = last) {
        if (query != null) {
          query.update();
        }
      }
      connection.commit();
    }

    public Connection connection() {
      return connection;
    }

    public TableNames tables() {
      return tables;
    }

    /**
     * Runs the work behind a savepoint. If it fails, the transaction continues as if it had not
     * run.
     */
    public <T> T trying(Attempt<T> work) throws SQLException {
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

    /** Runs text that is not a prepared statement, for example a lock on a table. */
    public void execute(String text) throws SQLException {
      try (var statement = connection.createStatement()) {
        statement.execute(tables.in(text));
      }
    }
  }

  /** Work with a connection. */
  @FunctionalInterface
  private interface Use<T> {
    T of(Connection connection) throws SQLException;
  }

  /** Work in a transaction. */
  @FunctionalInterface
  public interface Work<T> {
    T run(Tx tx) throws SQLException;
  }

  /** Work that may fail without ending the transaction. */
  @FunctionalInterface
  public interface Attempt<T> {
    T run() throws SQLException;
  }

  /** Reads the results of one statement. */
  @FunctionalInterface
  public interface Read<T> {
    T run(Query query) throws SQLException;
  }

  static PosthornException failed(String what, SQLException e) {
    return new PosthornException(
        ErrorCode.STORE_FAILED,
        "%s failed: the database answered %s (SQLSTATE %s). A relay retries by itself; otherwise retry, and see the cause if the error stays."
            .formatted(what, firstLine(e), e.getSQLState()),
        e);
  }

  /** Returns the first line of the text of the error, in quotes. */
  public static String firstLine(SQLException e) {
    String text = Sanitiser.text(e);
    int end = text.indexOf('\n');
    return "'" + (end < 0 ? text : text.substring(0, end)) + "'";
  }
}
