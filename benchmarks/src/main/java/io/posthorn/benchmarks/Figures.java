package io.posthorn.benchmarks;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The figures of one benchmark, in order, as one JSON object or as a table for people. */
final class Figures {
  private record Figure(String key, String words, double value, @Nullable Goal goal) {
    boolean missed() {
      return goal != null && !goal.met(value);
    }
  }

  private final List<Figure> figures = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final Map<String, String> machine = new LinkedHashMap<>();

  Figures machine(Map<String, String> facts) {
    machine.putAll(facts);
    return this;
  }

  Figures add(String key, String words, double value) {
    figures.add(new Figure(key, words, value, null));
    return this;
  }

  Figures add(String key, String words, double value, Goal goal) {
    figures.add(new Figure(key, words, value, goal));
    return this;
  }

  /** Adds a note for people on how the figures were measured. */
  Figures note(String text) {
    notes.add(text);
    return this;
  }

  String json() {
    List<String> fields = new ArrayList<>();
    for (Figure figure : figures) {
      fields.add(quoted(figure.key) + ":" + jsonNumber(figure.value));
    }
    List<String> missed =
        figures.stream().filter(Figure::missed).map(figure -> quoted(figure.key)).toList();
    fields.add("\"missed\":[" + String.join(",", missed) + "]");
    machine.forEach((name, fact) -> fields.add(quoted(name) + ":" + quoted(fact)));
    return "{" + String.join(",", fields) + "}";
  }

  String table() {
    StringBuilder out = new StringBuilder();
    for (Figure figure : figures) {
      Goal goal = figure.goal;
      String verdict = goal == null ? "" : "goal " + goal + (figure.missed() ? "   MISSED" : "");
      out.append(
          "  %-58s %12s   %s"
              .formatted(figure.words, number(figure.value), verdict)
              .stripTrailing());
      out.append('\n');
    }
    out.append('\n');
    List<String> facts = new ArrayList<>();
    machine.forEach((name, fact) -> facts.add(name.replace('_', ' ') + " " + fact));
    out.append("  measured on: ").append(String.join(", ", facts)).append('\n');
    notes.forEach(note -> out.append("  ").append(note).append('\n'));
    return out.toString();
  }

  /** Formats a number with three significant digits. */
  static String number(double value) {
    double size = Math.abs(value);
    int decimals = size >= 100 || value == Math.rint(value) ? 0 : size >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }

  private static String jsonNumber(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.4f", value);
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
