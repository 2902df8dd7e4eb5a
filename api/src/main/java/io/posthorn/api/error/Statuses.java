package io.posthorn.api.error;

import io.posthorn.core.error.ErrorCode;
import org.springframework.http.HttpStatus;

/** The status of HTTP for each of Posthorn's error codes. */
public final class Statuses {
  private Statuses() {}

  /** The status of an answer that reports this code. */
  public static HttpStatus of(ErrorCode code) {
    return switch (code) {
      case INVALID_REQUEST, INVALID_MESSAGE, TOO_LONG, TOO_MANY_ORDERED_KEYS, OUT_OF_HORIZON ->
          HttpStatus.BAD_REQUEST;
      case TYPE_NOT_REGISTERED, REFUSED_BY_VALIDATOR -> HttpStatus.UNPROCESSABLE_CONTENT;
      case PAYLOAD_TOO_LARGE -> HttpStatus.CONTENT_TOO_LARGE;
      case MISSING_RIGHTS -> HttpStatus.FORBIDDEN;
      case NOT_FOUND -> HttpStatus.NOT_FOUND;
      case CONFLICT,
          DUPLICATE_ID,
          ID_REUSED,
          RELAYS_RUNNING,
          ARCHIVE_IN_USE,
          CIPHER_MISSING,
          ENVIRONMENT_DIFFERS ->
          HttpStatus.CONFLICT;
      case STORE_FAILED,
          STANDBY,
          TABLES_MISSING,
          TABLES_OF_ANOTHER_VERSION,
          CURSOR_AHEAD,
          SEQUENCE_CACHED,
          SEQUENCE_BEHIND,
          TRANSACTION_CONFLICT,
          UNSUITABLE_SERVER ->
          HttpStatus.SERVICE_UNAVAILABLE;
      default -> HttpStatus.INTERNAL_SERVER_ERROR;
    };
  }
}
