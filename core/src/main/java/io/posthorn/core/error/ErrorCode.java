package io.posthorn.core.error;

import java.util.Locale;

/**
 * The stable codes of Posthorn's errors. The meaning of a code never changes; its text may improve.
 */
public enum ErrorCode {
  TYPE_NOT_REGISTERED(1),
  INVALID_MESSAGE(2),
  NO_TRANSACTION(3),
  PAYLOAD_TOO_LARGE(4),
  TOO_LONG(5),
  DUPLICATE_ID(6),
  REFUSED_BY_VALIDATOR(7),
  TABLES_MISSING(8),
  TABLES_OF_ANOTHER_VERSION(9),
  MISSING_RIGHTS(10),
  SEQUENCE_CACHED(11),
  STANDBY(12),
  ENVIRONMENT_DIFFERS(13),
  TOO_MANY_ORDERED_KEYS(14),

  /** A property or a value of a builder is wrong, or several do not go together. */
  CONFIGURATION(15),
  CURSOR_AHEAD(16),
  STORE_FAILED(17),

  /** The database refused a transaction, and another try would not help. */
  TRANSACTION_FAILED(18),
  ARCHIVE_FAILED(19),
  HANDLERS_TRANSACTION(20),
  SEQUENCE_BEHIND(21),
  RELAYS_RUNNING(22),
  ID_REUSED(27),
  OUT_OF_HORIZON(28),
  SOURCE_FAILED(32),

  /**
   * The database refused the values of a statement, and would refuse the same statement again. A
   * relay does not repeat it unchanged, see {@code RelayStore}.
   */
  STORE_REFUSED(33),

  /** The caller asked for something that is never possible in this form. */
  INVALID_REQUEST(34),

  /** The caller named a destination, an operation or another thing that does not exist. */
  NOT_FOUND(35),

  /** The present state of a thing forbids what the caller asked for; later it may be possible. */
  CONFLICT(36),

  /** A payload is encrypted, and no cipher is configured that could encrypt its correction. */
  CIPHER_MISSING(37),

  /** Posthorn does not work on this server or database, whatever its configuration. */
  UNSUITABLE_SERVER(38),

  /** An archive is in use, and would not get what the call would remove. */
  ARCHIVE_IN_USE(39),

  /** A file of an archive is not as it was written. */
  ARCHIVE_DAMAGED(40),

  /** The program lacks one of Posthorn's own files. */
  RESOURCE_MISSING(41),

  /** Another transaction was in the way. The same transaction may succeed when it is repeated. */
  TRANSACTION_CONFLICT(42),

  /** An earlier statement of the transaction failed, so nothing of it can be committed. */
  TRANSACTION_ABORTED(43),

  /** The work of a transaction ended the transaction itself. */
  TRANSACTION_ENDED(44),

  /** It is not known whether a transaction was committed; a call with the same id finds out. */
  TRANSACTION_UNCONFIRMED(45),

  /** An operation was started and could not be read afterwards. */
  OPERATION_UNCONFIRMED(46),

  /** A received message could not be read because the program lacks memory or a class. */
  MESSAGE_UNREADABLE(47),

  /** The application's payload writer threw an exception. */
  PAYLOAD_NOT_WRITTEN(48);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** The code as it is shown and searched for, for example {@code POSTHORN-003}. */
  public String text() {
    return String.format(Locale.ROOT, "POSTHORN-%03d", number);
  }
}
