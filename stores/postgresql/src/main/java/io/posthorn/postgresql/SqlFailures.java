package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.ErrorMeaning;
import java.sql.SQLException;
import java.util.List;

/** Says what a database error means for Posthorn and what to do about it. */
final class SqlFailures {
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

  /** Syntax error or access rule violation: the tables or the rights are not ours. */
  private static final String STATEMENT = "42";

  /**
   * The values, and not the server, the way to it, its resources or other transactions: more than
   * one row where one belongs, data, a constraint, a view's check, a limit of the program, what a
   * trigger raises, and a row whose pages are damaged. The same statement would fail for ever.
   */
  private static final List<String> VALUES = List.of("21", "22", "23", "44", "54", "P0", "XX001");

  /** What a transaction wrote: values as above, or (25) anything after an earlier failure. */
  private static final List<String> WRITTEN = List.of("21", "22", "23", "25", "44", "54", "P0");

  /** The connection, and a server that is stopping or starting. */
  private static final List<String> CONNECTION = List.of("08", "57P");

  /**
   * The server, its resources, the access to it, and the outcome of a transaction, where that is
   * neither a conflict nor a lost connection. A cancelled statement (57014) is not in this list,
   * because one message's own statement may take too long.
   */
  private static final List<String> SERVER = List.of("28", "40", "53", "58", "F0", "XX");

  private SqlFailures() {}

  /**
   * What this error means for the transaction in which it occurred, whoever ran the transaction.
   */
  static ErrorMeaning meaningOf(SQLException e) {
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

  /** For what only the owner of the tables may do: no grants are printed for it. */
  static PosthornException forTheOwner(PosthornException e) {
    return e.code() != ErrorCode.MISSING_RIGHTS || !(e.getCause() instanceof SQLException cause)
        ? e
        : new PosthornException(
            ErrorCode.MISSING_RIGHTS,
            "nothing was done: this role is not the owner of Posthorn's tables (%s). Connect as the role that migrated them; no grants are enough."
                .formatted(Database.firstLine(cause)),
            cause);
  }

  /** In a transaction of the caller, who alone can repeat it. */
  static PosthornException translateInTransaction(String what, SQLException e) {
    String state = String.valueOf(e.getSQLState());
    if (!state.startsWith(CONFLICT) && !state.equals(LOCK_NOT_AVAILABLE)) {
      return translate(what, e);
    }
    return new PosthornException(
        ErrorCode.TRANSACTION_FAILED,
        "%s was not done: the transaction conflicts with another one (%s). Roll back and repeat it."
            .formatted(what, Database.firstLine(e)),
        e);
  }

  static PosthornException translate(String what, SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return switch (state) {
      case UNDEFINED_TABLE, UNDEFINED_SCHEMA, UNDEFINED_FUNCTION ->
          new PosthornException(
              ErrorCode.TABLES_MISSING,
              "%s was not done: this database lacks Posthorn's tables (%s). Check that the connection belongs to the right database and that schema and prefix are right, or run 'posthorn schema migrate'."
                  .formatted(what, Database.firstLine(e)),
              e);
      case UNDEFINED_COLUMN ->
          new PosthornException(
              ErrorCode.TABLES_OF_ANOTHER_VERSION,
              "%s was not done: Posthorn's tables here are of another version (%s). Run 'posthorn schema migrate' with this version."
                  .formatted(what, Database.firstLine(e)),
              e);
      case INSUFFICIENT_PRIVILEGE ->
          new PosthornException(
              ErrorCode.MISSING_RIGHTS,
              "%s was not done: this role lacks a right (%s). 'posthorn schema grants' prints what writer, receiver, relay and operator need."
                  .formatted(what, Database.firstLine(e)),
              e);
      case READ_ONLY ->
          new PosthornException(
              ErrorCode.STANDBY,
              "%s was not done: the transaction is read-only. Connect to the primary (targetServerType=primary) and do not mark the transaction read-only."
                  .formatted(what),
              e);
      case IN_FAILED_TRANSACTION ->
          new PosthornException(
              ErrorCode.TRANSACTION_FAILED,
              "%s was not done: an earlier statement of this transaction failed, so nothing in it can be committed. Roll back and start again."
                  .formatted(what),
              e);
      default -> {
        if (state.startsWith(STATEMENT)) {
          yield new PosthornException(
              ErrorCode.TABLES_OF_ANOTHER_VERSION,
              "%s was not done: Posthorn's tables here are of another version, or somebody has changed them (%s, SQLSTATE %s). Compare them with what 'posthorn schema print' prints."
                  .formatted(what, Database.firstLine(e), state),
              e);
        }
        yield isRefusal(e) ? refused(what, e) : Database.failed(what, e);
      }
    };
  }

  /** Whether the same statement, with the same values, would fail for ever. */
  static boolean isRefusal(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return isOf(VALUES, state);
  }

  private static PosthornException refused(String what, SQLException e) {
    return new PosthornException(
        ErrorCode.STORE_REFUSED,
        "%s was not done: the database refuses it for good (%s, SQLSTATE %s), so to try the same again is of no use. See which rule of the table, or which row, it names; a trigger or a constraint that is not Posthorn's must let its rows pass."
            .formatted(what, Database.firstLine(e), e.getSQLState()),
        e);
  }
}
