package io.posthorn.core.message;

import java.util.Map;

/** Strings of JSON: writes them, and reads them back. {@link JsonSyntax} checks whole documents. */
public final class JsonText {
  private static final String HEX = "0123456789abcdef";

  private JsonText() {}

  /**
   * Appends the text as a JSON string, with its quotes. Only quotes, backslashes and control
   * characters are escaped, so the result is UTF-8 where the text is.
   */
  public static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ') {
        out.append("\\u00").append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 0xF));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  /** A JSON object whose values are all strings. {@link JsonObject#texts} reads it back. */
  public static String object(Map<String, String> texts) {
    if (texts.isEmpty()) {
      return "{}";
    }
    StringBuilder out = new StringBuilder("{");
    texts.forEach(
        (name, text) -> {
          if (out.length() > 1) {
            out.append(',');
          }
          quote(out, name);
          out.append(':');
          quote(out, text);
        });
    return out.append('}').toString();
  }

  /** Returns the text of a valid JSON string, which is given with its quotes. */
  static String unquote(String literal) {
    int escape = literal.indexOf('\\');
    int end = literal.length() - 1;
    if (escape < 0) {
      return literal.substring(1, end);
    }
    StringBuilder text = new StringBuilder(end).append(literal, 1, escape);
    for (int i = escape; i < end; i++) {
      char c = literal.charAt(i);
      if (c != '\\') {
        text.append(c);
        continue;
      }
      char escaped = literal.charAt(++i);
      if (escaped == 'u') {
        text.append((char) Integer.parseInt(literal, i + 1, i + 5, 16));
        i += 4;
      } else {
        int known = "bfnrt".indexOf(escaped);
        text.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
      }
    }
    return text.toString();
  }
}
