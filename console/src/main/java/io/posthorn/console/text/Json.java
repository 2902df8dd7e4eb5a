package io.posthorn.console.text;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.JsonSyntax;

/**
 * Lays JSON out on lines without reading its values: numbers, escapes and names stay as written.
 */
public final class Json {
  private static final int DEEPEST = 200;

  private Json() {}

  /** The text on indented lines; unchanged if it is not valid JSON. */
  public static String laidOut(String text) {
    return JsonSyntax.isValid(text.getBytes(UTF_8)) ? layOut(text) : text;
  }

  private static String layOut(String text) {
    StringBuilder out = new StringBuilder(text.length() + text.length() / 4);
    int depth = 0;
    boolean quoted = false;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (quoted) {
        out.append(c);
        if (c == '\\') {
          out.append(text.charAt(++at));
        } else if (c == '"') {
          quoted = false;
        }
        continue;
      }
      switch (c) {
        case '"' -> {
          quoted = true;
          out.append(c);
        }
        case '{', '[' -> {
          int close = next(text, at + 1);
          out.append(c);
          if (text.charAt(close) == '}' || text.charAt(close) == ']') {
            out.append(text.charAt(close));
            at = close;
          } else {
            line(out, ++depth);
          }
        }
        case '}', ']' -> {
          line(out, --depth);
          out.append(c);
        }
        case ',' -> {
          out.append(c);
          line(out, depth);
        }
        case ':' -> out.append(": ");
        case ' ', '\n', '\r', '\t' -> {}
        default -> out.append(c);
      }
    }
    return out.toString();
  }

  private static int next(String text, int from) {
    int at = from;
    while (Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  private static void line(StringBuilder out, int depth) {
    out.append('\n').append("  ".repeat(Math.min(depth, DEEPEST)));
  }
}
