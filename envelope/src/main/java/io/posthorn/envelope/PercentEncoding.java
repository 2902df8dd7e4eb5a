package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.HexFormat;

/**
 * The encoding of header values in the HTTP binding of CloudEvents: space, double quote, percent
 * and all that is not printable ASCII is percent-encoded as UTF-8.
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

  private static boolean isPlain(char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '%';
  }
}
