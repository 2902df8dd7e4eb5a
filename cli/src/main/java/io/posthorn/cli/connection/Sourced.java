package io.posthorn.cli.connection;

/**
 * A value and where it came from.
 *
 * @param source for people, for example "--url" or "profile 'staging'"
 */
public record Sourced(String value, String source) {
  /** Leaves out the value, which may be a password. */
  @Override
  public String toString() {
    return "from " + source;
  }
}
