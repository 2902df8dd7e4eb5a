package io.posthorn.postgresql;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.sql.SQLException;

/** Says what a database error means for Posthorn and what to do about it. */
final class Failures {
  private static final String UNDEFINED_TABLE = "42P01";
  private static final String UNDEFINED_FUNCTION = "42883";
  private static final String UNDEFINED_SCHEMA = "3F000";
  private static final String UNDEFINED_COLUMN = "42703";
  private static final String INSUFFICIENT_PRIVILEGE = "42501";
  private static final String READ_ONLY = "25006";
  private static final String IN_FAILED_TRANSACTION = "25P02";

  /** Deadlocks and serialization failures. */
  private static final String CONFLICT = "40";

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private Failures() {}

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
              "%s was not done: this role lacks a right (%s). 'posthorn schema grants' prints what writer, relay and operator need."
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
      default -> Database.failed(what, e);
    };
  }
}
