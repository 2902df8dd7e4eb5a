package io.posthorn.spring.connector;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Names properties in texts of connectors, which name the options of their Java builders. An option
 * that is two words in Java has the same words as a property, unless it is listed here.
 */
final class OptionNames {
  private static final Map<String, String> OTHERS =
      Map.of("signedWith", "secrets", "bearer", "bearer-token", "tls", "ssl-bundle");

  // Not in braces, where it is a value of a template.
  private static final Pattern OPTION = Pattern.compile("(?<![{.\\w])[a-z]+[A-Z]\\w*(?![}\\w])");
  private static final Pattern UNSIGNED = Pattern.compile("(?<![-.\\w])unsigned\\b");
  private static final Pattern BASIC = Pattern.compile("\\buse basic\\b");

  private OptionNames() {}

  /**
   * Replaces options by properties.
   *
   * @param kind what the properties begin with, for example {@code webhook}
   */
  static String asProperties(String kind, String text) {
    String named = OPTION.matcher(text).replaceAll(option -> kind + "." + property(option.group()));
    named = UNSIGNED.matcher(named).replaceAll(kind + ".unsigned");
    return BASIC.matcher(named).replaceAll("use %s.username and %s.password".formatted(kind, kind));
  }

  /** The property of an option in Java. */
  static String property(String option) {
    return OTHERS.getOrDefault(
        option,
        Pattern.compile("[A-Z]").matcher(option).replaceAll("-$0").toLowerCase(Locale.ROOT));
  }
}
