package io.posthorn.console.page;

/** A database did not answer in time. */
public final class AwayException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  AwayException(String database, String why, Throwable cause) {
    super("database '%s' does not answer: %s".formatted(database, why), cause);
  }

  /** The sentence for people. */
  public String text() {
    return String.valueOf(getMessage());
  }
}
