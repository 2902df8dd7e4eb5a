package io.posthorn.cli.terminal;

import java.util.Arrays;

/**
 * The content of the whole screen. Text outside of it is cut off, so no line wraps. Every character
 * is one column wide.
 */
public final class Canvas {
  private static final String FANCY = "╭╮╰╯─│►●○×·…✓▁▂▃▄▅▆▇█";
  private static final String SIMPLE = "++++-|>*ox-. ..::=+##";

  private final char[][] text;
  private final Style[][] styles;

  public Canvas(int rows, int columns) {
    this.text = new char[rows][columns];
    this.styles = new Style[rows][columns];
    for (int row = 0; row < rows; row++) {
      Arrays.fill(text[row], ' ');
      Arrays.fill(styles[row], Style.PLAIN);
    }
  }

  public int rows() {
    return text.length;
  }

  public int columns() {
    return text.length == 0 ? 0 : text[0].length;
  }

  /** Writes from this column on, and returns the column after the text. */
  public int put(int row, int column, String words, Style style) {
    for (int i = 0; i < words.length(); i++) {
      int at = column + i;
      if (row >= 0 && row < rows() && at >= 0 && at < columns()) {
        text[row][at] = words.charAt(i);
        styles[row][at] = style;
      }
    }
    return column + words.length();
  }

  /** Writes text that ends before this column. */
  public void putRight(int row, int end, String words, Style style) {
    put(row, end - words.length(), words, style);
  }

  /** Returns the row as plain text, without trailing blanks. */
  public String row(int row) {
    return new String(text[row]).stripTrailing();
  }

  /** Returns the characters that make a terminal show this content, whatever it showed before. */
  String render(boolean unicode, boolean colour) {
    StringBuilder out = new StringBuilder("\u001b[H");
    for (int row = 0; row < rows(); row++) {
      if (row > 0) {
        out.append("\r\n");
      }
      renderRow(out, row, unicode, colour);
      out.append("\u001b[K");
    }
    return out.append("\u001b[J").toString();
  }

  private void renderRow(StringBuilder out, int row, boolean unicode, boolean colour) {
    Style current = Style.PLAIN;
    int length = row(row).length();
    for (int column = 0; column < length; column++) {
      Style style = styles[row][column];
      if (colour && style != current) {
        out.append(style.sequence());
        current = style;
      }
      char c = text[row][column];
      int fancy = unicode ? -1 : FANCY.indexOf(c);
      out.append(fancy < 0 ? c : SIMPLE.charAt(fancy));
    }
    if (current != Style.PLAIN) {
      out.append(Style.PLAIN.sequence());
    }
  }
}
