package io.posthorn.console.page;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The frame around a page.
 *
 * @param base where the console is mounted
 * @param theme light, dark or system
 * @param now the server's clock, in milliseconds
 * @param active the tab that is shown
 * @param databases the databases that the viewer sees
 * @param environment of this database; empty if unknown
 * @param tabs empty for pages that belong to no database
 * @param live the path of the stream, below the base; null for pages without one
 * @param csrf hidden field of forms; null if none is needed
 * @param logout where to log out; null if the application around decides that
 */
public record Shell(
    String base,
    String theme,
    long now,
    String active,
    List<String> databases,
    String database,
    String environment,
    List<Tab> tabs,
    @Nullable String live,
    @Nullable Csrf csrf,
    @Nullable String logout) {
  /**
   * One tab.
   *
   * @param key the letter after {@code g} that leads to it
   * @param count the number beside its name; empty for none
   * @param kind the colour of the number
   */
  public record Tab(
      String name,
      String href,
      String key,
      boolean current,
      String live,
      String count,
      String kind) {}

  /** A hidden field that proves that a form comes from the console. */
  public record Csrf(String name, String value) {}
}
