package io.posthorn.cli.terminal;

/** The colour and weight of a character. */
public enum Style {
  PLAIN(""),
  BOLD("1"),
  DIM("2"),
  GREEN("32"),
  BOLD_GREEN("1;32"),
  YELLOW("33"),
  CYAN("36"),
  BOLD_RED("1;31");

  private final String code;

  Style(String code) {
    this.code = code;
  }

  /** Returns the escape sequence that switches from any other style to this one. */
  String sequence() {
    return "\u001b[0" + (code.isEmpty() ? "" : ";" + code) + "m";
  }
}
