package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The encoding of header values in the HTTP binding of CloudEvents: spaces, double quotes, percent
 * signs and everything outside printable ASCII are percent-encoded as UTF-8.
 */
final class PercentEncoding {
  private static final HexFormat HEX = HexFormat.of().withUpperCase();

  private PercentEncoding() {}

  static String encode(String text) {
    int i = 0;
    while (i < text.length() && isPlain(text.charAt(i))) {
      i++;
    }
    return i == text.length() ? text : encodeFrom(text, i);
  }

  private static String encodeFrom(String text, int start) {
    StringBuilder encoded = new StringBuilder(text.length() + 16).append(text, 0, start);
    for (byte b : text.substring(start).getBytes(UTF_8)) {
      if (isPlain((char) (b & 0xff))) {
        encoded.append((char) b);
      } else {
        HEX.toHexDigits(encoded.append('%'), b);
      }
    }
    return encoded.toString();
  }

  /** Returns the decoded text, or null if this is not the encoding of a text. */
  static @Nullable String decode(String encoded) {
    if (encoded.indexOf('%') < 0) {
      return encoded;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c != '%') {
        bytes.writeBytes(Character.toString(c).getBytes(UTF_8));
      } else if (i + 2 < encoded.length() && isHex(encoded, i + 1) && isHex(encoded, i + 2)) {
        bytes.write(HexFormat.fromHexDigits(encoded, i + 1, i + 3));
        i += 2;
      } else {
        return null;
      }
    }
    return Texts.utf8(bytes.toByteArray());
  }

  /** Decodes a value that may be enclosed in double quotes. */
  static @Nullable String decodeQuoted(String value) {
    String text = value.strip();
    if (text.length() < 2 || !text.startsWith("\"") || !text.endsWith("\"")) {
      return decode(text);
    }
    return decode(text.substring(1, text.length() - 1).replaceAll("\\\\(.)", "$1"));
  }

  private static boolean isHex(String text, int at) {
    return HexFormat.isHexDigit(text.charAt(at));
  }

  private static boolean isPlain(char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '%';
  }
}
