package io.posthorn.server.file;

import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Replaces {@code ${NAME}} by environment variables. */
record Variables(Map<String, String> environment) {
  private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^}]*)}?");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  /** The text after replacement, and what could not be replaced. */
  record Replaced(String text, TreeSet<String> problems) {}

  Replaced replace(String text) {
    TreeSet<String> problems = new TreeSet<>();
    Matcher found = VARIABLE.matcher(text);
    String replaced =
        found.replaceAll(
            match -> {
              String name = match.group(1);
              if (!match.group().endsWith("}") || !NAME.matcher(name).matches()) {
                problems.add("has '${' that does not begin a variable: write ${NAME}");
                return "";
              }
              String value = environment.get(name);
              if (value == null) {
                problems.add(
                    "the environment variable %s is not set. Set it, or write the value here"
                        .formatted(name));
                return "";
              }
              return Matcher.quoteReplacement(value);
            });
    return new Replaced(replaced, problems);
  }
}
