package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The largest message that an outbox accepts. The lengths of names and keys are fixed, because
 * brokers and the indexes of the tables limit them too. You choose the size of a payload.
 *
 * @param payloadBytes the most bytes of a payload. The default is 1 MiB, which Kafka and SQS accept
 *     without further settings; the maximum is 32 MiB
 */
public record Limits(int payloadBytes) {
  /** The upper bound of {@code payloadBytes}, 32 MiB: relays hold whole payloads in memory. */
  public static final int MOST_PAYLOAD_BYTES = 32 << 20;

  /** The earliest time that a message may have: every database and every format can express it. */
  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  /** The latest time that a message may have. */
  public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59Z");

  /** Payloads of up to 1 MiB. */
  public static final Limits DEFAULT = new Limits(1 << 20);

  static final int TYPE = 200;
  static final int KEY = 255;
  static final int CONTENT_TYPE = 200;
  static final int HEADER_NAME = 100;
  static final int HEADER_VALUE = 4_096;
  static final int HEADERS = 64;
  static final int CIPHER_KEY = 200;
  static final int HEADERS_BYTES = 65_536;

  private static final Pattern TYPE_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._/-]*");

  public Limits {
    if (payloadBytes < 0 || payloadBytes > MOST_PAYLOAD_BYTES) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the payload limit was not set to %,d bytes: it must be between 0 and %,d, because relays hold whole payloads in memory. Store larger contents elsewhere and send references to them."
              .formatted(payloadBytes, MOST_PAYLOAD_BYTES));
    }
  }

  /** Whether a message may have this time: it is null, or from year 1 to year 9999. */
  public static boolean isTime(@Nullable Instant time) {
    return time == null || !(time.isBefore(EARLIEST) || time.isAfter(LATEST));
  }

  /**
   * Checks the message against all limits.
   *
   * @throws PosthornException for the first limit that the message exceeds
   */
  public void check(Message message) {
    checkTypeName(message.type());
    if (message.payload().length > payloadBytes) {
      throw new PosthornException(
          ErrorCode.PAYLOAD_TOO_LARGE,
          "message '%s' (%s) was not added: its payload has %,d bytes and the limit is %,d. Store the content elsewhere and send a reference, or raise Limits.payloadBytes."
              .formatted(message.type(), message.id(), message.payload().length, payloadBytes));
    }
    Key key = message.key();
    if (key != null) {
      checkText(message, "aggregate type", key.aggregateType(), KEY);
      checkText(message, "key", key.id(), KEY);
    }
    checkText(message, "content type", message.contentType(), CONTENT_TYPE);
    if (message.headers().size() > HEADERS) {
      throw tooLong(message, "the list of headers", message.headers().size(), HEADERS);
    }
    int bytes = 0;
    for (Map.Entry<String, String> header : message.headers().entrySet()) {
      checkText(message, "header name", header.getKey(), HEADER_NAME);
      int longest =
          header.getKey().equals(Headers.CORRELATION_ID)
              ? Headers.LONGEST_CORRELATION_ID
              : HEADER_VALUE;
      checkText(message, "header '" + header.getKey() + "'", header.getValue(), longest);
      bytes += utf8(header.getKey()) + utf8(header.getValue());
    }
    if (bytes > HEADERS_BYTES) {
      throw tooLong(message, "all headers together, in bytes of UTF-8,", bytes, HEADERS_BYTES);
    }
    checkTime(message, "occurredAt", message.occurredAt());
    checkTime(message, "notBefore", message.notBefore());
  }

  /**
   * Checks the id of the key that the payload is encrypted with.
   *
   * @param keyId null if the payload is not encrypted
   */
  public void checkCipherKey(Message message, @Nullable String keyId) {
    if (keyId != null) {
      checkText(message, "cipher's key id", keyId, CIPHER_KEY);
    }
  }

  private static void checkTime(Message message, String what, @Nullable Instant time) {
    if (!isTime(time)) {
      throw new PosthornException(
          ErrorCode.INVALID_MESSAGE,
          "message '%s' (%s) was not added: %s is %s, but times must be between %s and %s. Set such a time, or leave notBefore unset to deliver at once."
              .formatted(message.type(), message.id(), what, time, EARLIEST, LATEST));
    }
  }

  private static int utf8(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // A surrogate pair takes four bytes.
      bytes += c < 0x80 ? 1 : c < 0x800 || Character.isSurrogate(c) ? 2 : 3;
    }
    return bytes;
  }

  static void checkTypeName(String type) {
    if (type.length() > TYPE || !TYPE_NAME.matcher(type).matches()) {
      throw new PosthornException(
          ErrorCode.INVALID_MESSAGE,
          "type '%s' was not accepted: a type is a logical name of at most %d letters, digits, '.', '_', '/' or '-', and starts with a letter. Choose another name."
              .formatted(shown(type), TYPE));
    }
  }

  private static void checkText(Message message, String what, String text, int limit) {
    if (text.length() > limit) {
      throw tooLong(message, "the " + what, text.length(), limit);
    }
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair =
          Character.isHighSurrogate(c)
              && i + 1 < text.length()
              && Character.isLowSurrogate(text.charAt(i + 1));
      if (c == 0 || (Character.isSurrogate(c) && !pair)) {
        throw new PosthornException(
            ErrorCode.INVALID_MESSAGE,
            "message '%s' (%s) was not added: the %s has a character at position %d that cannot be stored as text (U+%04X). Remove it."
                .formatted(message.type(), message.id(), what, i, (int) c));
      }
      if (pair) {
        i++;
      }
    }
  }

  private static PosthornException tooLong(Message message, String what, int length, int limit) {
    return new PosthornException(
        ErrorCode.TOO_LONG,
        "message '%s' (%s) was not added: %s has a length of %d and the limit is %d. Shorten it."
            .formatted(message.type(), message.id(), what, length, limit));
  }

  private static String shown(String text) {
    return text.length() <= 60 ? text : text.substring(0, 60) + "…";
  }
}
