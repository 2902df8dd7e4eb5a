package io.posthorn.console.text;

/**
 * Makes foreign text harmless to look at: what would be invisible, or would turn the text around,
 * is shown by its code point. Escaping for HTML is the template's work.
 */
public final class Visible {
  private static final int CONTROL_PICTURES = 0x2400;
  private static final int DELETE = 0x7f;

  private Visible() {}

  /** The text on one line. */
  public static String line(String text) {
    return of(text, false);
  }

  /** The text with its line breaks and tabs. */
  public static String block(String text) {
    return of(text, true);
  }

  private static String of(String text, boolean lines) {
    StringBuilder shown = new StringBuilder(text.length());
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      at += Character.charCount(point);
      boolean endsLine = point == '\r' && at < text.length() && text.charAt(at) == '\n';
      if (lines && (point == '\n' || point == '\t')) {
        shown.appendCodePoint(point);
      } else if (lines && endsLine) {
        // The line feed that follows stands for both.
      } else if (point < ' ') {
        shown.appendCodePoint(CONTROL_PICTURES + point);
      } else if (point == DELETE) {
        shown.append('\u2421');
      } else if (isUnseen(point)) {
        shown.append("⟨U+%04X⟩".formatted(point));
      } else {
        shown.appendCodePoint(point);
      }
    }
    return shown.toString();
  }

  /** Controls, marks of direction, joiners, lone surrogates and the like. */
  private static boolean isUnseen(int point) {
    int type = Character.getType(point);
    return type == Character.CONTROL
        || type == Character.FORMAT
        || type == Character.SURROGATE
        || type == Character.LINE_SEPARATOR
        || type == Character.PARAGRAPH_SEPARATOR
        || type == Character.PRIVATE_USE;
  }
}
