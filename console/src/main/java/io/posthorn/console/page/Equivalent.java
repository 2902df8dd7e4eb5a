package io.posthorn.console.page;

/**
 * The same for other tools: what is on the screen as a command and as a call of the API.
 *
 * @param cli the command, without the address of the database
 * @param api method and path
 */
public record Equivalent(String cli, String api) {
  /** A call that reads. */
  public static Equivalent get(String cli, String path) {
    return new Equivalent(cli, "GET " + path);
  }

  /** A value as an argument of a command in a shell. */
  public static String quoted(String value) {
    return value.matches("[\\w./:@%+=-]+") ? value : "'" + value.replace("'", "'\\''") + "'";
  }
}
