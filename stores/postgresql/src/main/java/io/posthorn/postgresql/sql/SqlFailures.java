package io.posthorn.postgresql.sql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.ErrorMeaning;
import java.sql.SQLException;
import java.util.List;

/** Explains what a database error means for Posthorn and what to do about it. */
public final class SqlFailures {
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String UNDEFINED_FUNCTION = "42883";
  private static final String UNDEFINED_SCHEMA = "3F000";
  private static final String UNDEFINED_COLUMN = "42703";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";
  private static final String READ_ONLY = "25006";
  private static final String IN_FAILED_TRANSACTION = "25P02";

  /** Deadlocks and serialization failures. */
  private static final String CONFLICT = "40";

  private static final String SERIALIZATION_FAILURE = "40001";
  private static final String DEADLOCK = "40P01";
  private static final String LOCK_NOT_AVAILABLE = "55P03";

  /** Syntax error or access rule violation: the tables or rights are not the expected ones. */
  private static final String STATEMENT = "42";

  /**
   * Errors of the values, not of the server, the connection, its resources or other transactions:
   * several rows where one belongs, data, a constraint, a view's check, a limit of the program, an
   * error raised by a trigger in any language (09, 2F, 38, 39, P0), and a row or an index on
   * damaged pages. The same statement would always fail.
   */
  private static final List<String> VALUES =
      List.of("09", "21", "22", "23", "2F", "38", "39", "44", "54", "P0", "XX001", "XX002");

  /**
   * Errors of what a transaction wrote: values as above, or (25) a statement after an earlier
   * failure.
   */
  private static final List<String> WRITTEN =
      List.of("09", "21", "22", "23", "25", "2F", "38", "39", "44", "54", "P0");

  /** The connection is lost, or the server is stopping or starting. */
  private static final List<String> CONNECTION = List.of("08", "57P");

  /**
   * Errors of the server, its resources, the access to it, and the outcome of a transaction, except
   * conflicts and lost connections. A cancelled statement (57014) is not in this list, because a
   * single message's statement may take too long.
   */
  private static final List<String> SERVER = List.of("28", "40", "53", "58", "F0", "XX");

  private SqlFailures() {}

  /**
   * Returns what this error means for the transaction in which it occurred, whether Posthorn or the
   * application ran it.
   */
  public static ErrorMeaning meaningOf(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    if (state.length() != 5) {
      return ErrorMeaning.UNKNOWN;
    }
    return switch (state) {
      case SERIALIZATION_FAILURE, DEADLOCK -> ErrorMeaning.CONFLICT;
      case LOCK_NOT_AVAILABLE -> ErrorMeaning.LOCK_TIMEOUT;
      default -> {
        if (isOf(CONNECTION, state)) {
          yield ErrorMeaning.CONNECTION_LOST;
        }
        if (isOf(SERVER, state)) {
          yield ErrorMeaning.UNAVAILABLE;
        }
        yield isOf(WRITTEN, state) ? ErrorMeaning.REFUSED : ErrorMeaning.UNKNOWN;
      }
    };
  }

  private static boolean isOf(List<String> classes, String state) {
    return classes.stream().anyMatch(state::startsWith);
  }

  /**
   * Translates a missing right where only the owner of the tables may act: no grants are enough for
   * it.
   */
  public static PosthornException forTheOwner(PosthornException e) {
    return e.code() != ErrorCode.MISSING_RIGHTS || !(e.getCause() instanceof SQLException cause)
        ? e
        : new PosthornException(
            ErrorCode.MISSING_RIGHTS,
            "nothing was done: this role is not the owner of Posthorn's tables (%s). Connect as the role that migrated them; grants are not enough."
                .formatted(Database.firstLine(cause)),
            cause);
  }

  /** Translates an error in a transaction of the caller, who alone can repeat it. */
  public static PosthornException translateInTransaction(String what, SQLException e) {
    String state = String.valueOf(e.getSQLState());
    if (!state.startsWith(CONFLICT) && !state.equals(LOCK_NOT_AVAILABLE)) {
      return translate(what, e);
    }
    return new PosthornException(
        ErrorCode.TRANSACTION_CONFLICT,
        "%s failed: the transaction conflicts with another one (%s). Roll back and repeat it."
            .formatted(what, Database.firstLine(e)),
        e);
  }

  static PosthornException translate(String what, SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return switch (state) {
      case UNDEFINED_TABLE, UNDEFINED_SCHEMA, UNDEFINED_FUNCTION ->
          new PosthornException(
              ErrorCode.TABLES_MISSING,
              "%s failed: this database lacks Posthorn's tables (%s). Check that the connection leads to the right database and that schema and prefix are right, or create the tables: call migrate() of Posthorn, set posthorn.migrate=true in Spring Boot, or run 'posthorn schema migrate'."
                  .formatted(what, Database.firstLine(e)),
              e);
      case UNDEFINED_COLUMN ->
          new PosthornException(
              ErrorCode.TABLES_OF_ANOTHER_VERSION,
              "%s failed: Posthorn's tables here have another version (%s). Run 'posthorn schema migrate' with this version."
                  .formatted(what, Database.firstLine(e)),
              e);
      case INSUFFICIENT_PRIVILEGE ->
          new PosthornException(
              ErrorCode.MISSING_RIGHTS,
              "%s failed: this role lacks a right (%s). 'posthorn schema grants' prints what writer, receiver, relay and operator need."
                  .formatted(what, Database.firstLine(e)),
              e);
      case READ_ONLY ->
          new PosthornException(
              ErrorCode.STANDBY,
              "%s failed: the transaction is read-only. Connect to the primary (targetServerType=primary) and do not mark the transaction read-only."
                  .formatted(what),
              e);
      case IN_FAILED_TRANSACTION ->
          new PosthornException(
              ErrorCode.TRANSACTION_ABORTED,
              "%s failed: an earlier statement of this transaction failed, so nothing in it can be committed. Roll back and start again."
                  .formatted(what),
              e);
      default -> {
        if (state.startsWith(STATEMENT)) {
          yield new PosthornException(
              ErrorCode.TABLES_OF_ANOTHER_VERSION,
              "%s failed: Posthorn's tables here have another version, or have been changed (%s, SQLSTATE %s). Compare them with what 'posthorn schema print' prints."
                  .formatted(what, Database.firstLine(e), state),
              e);
        }
        yield isRefusal(e) ? refused(what, e) : Database.failed(what, e);
      }
    };
  }

  /** Whether the same statement with the same values would always fail. */
  public static boolean isRefusal(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return isOf(VALUES, state);
  }

  private static PosthornException refused(String what, SQLException e) {
    return new PosthornException(
        ErrorCode.STORE_REFUSED,
        "%s failed: the database refuses it for good (%s, SQLSTATE %s), so a retry fails, too. The error names the constraint or the row. A trigger or constraint that is not Posthorn's must accept Posthorn's rows."
            .formatted(what, Database.firstLine(e), e.getSQLState()),
        e);
  }
}
