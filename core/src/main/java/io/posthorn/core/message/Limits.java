package io.posthorn.core.message;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What a message may be at most. The lengths of names and keys are fixed, because brokers and the
 * tables' indexes have them too; the size of a payload is a choice.
 *
 * @param payloadBytes default 1 MiB, which Kafka and SQS take by default
 */
public record Limits(int payloadBytes) {
  public static final Limits DEFAULT = new Limits(1 << 20);

  static final int TYPE = 200;
  static final int KEY = 255;
  static final int CONTENT_TYPE = 200;
  static final int HEADER_NAME = 100;
  static final int HEADER_VALUE = 4_096;
  static final int HEADERS = 64;

  private static final Pattern TYPE_NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._/-]*");

  /** Throws with the first thing that is wrong with the message. */
  public void check(Message message) {
    checkTypeName(message.type());
    if (message.payload().length > payloadBytes) {
      throw new PosthornException(
          ErrorCode.PAYLOAD_TOO_LARGE,
          "message '%s' (%s) was not added: its payload has %,d bytes and the limit is %,d. Store the content elsewhere and send a reference, or raise the limit."
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
    for (Map.Entry<String, String> header : message.headers().entrySet()) {
      checkText(message, "header name", header.getKey(), HEADER_NAME);
      int longest =
          header.getKey().equals(Headers.CORRELATION_ID)
              ? Headers.LONGEST_CORRELATION_ID
              : HEADER_VALUE;
      checkText(message, "header '" + header.getKey() + "'", header.getValue(), longest);
    }
  }

  static void checkTypeName(String type) {
    if (type.length() > TYPE || !TYPE_NAME.matcher(type).matches()) {
      throw new PosthornException(
          ErrorCode.INVALID_MESSAGE,
          "type '%s' was not accepted: a type is a logical name of at most %d letters, digits, '.', '_', '/' or '-', starting with a letter. Choose another name."
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
            "message '%s' (%s) was not added: the %s has a character at position %d that is not text (U+%04X). Remove it."
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
