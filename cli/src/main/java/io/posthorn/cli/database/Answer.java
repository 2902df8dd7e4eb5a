package io.posthorn.cli.database;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.posthorn.cli.terminal.Plain;
import io.posthorn.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Prints the answer of a command: tables for people, one JSON value for scripts. */
public final class Answer {
  // Non-ASCII characters are escaped, so that no content can control the terminal.
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();
  private static final int WIDEST = 60;

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--json",
      description = "Print one JSON value on standard output and nothing else, for scripts.")
  private boolean json;

  private @Nullable Boolean watched;

  public boolean json() {
    return json;
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /**
   * Prints text, with every character removed that could control the terminal. Prints nothing with
   * --json.
   */
  public void say(String text) {
    if (!json) {
      out().println(Plain.text(text));
    }
  }

  /** Prints a remark on standard error, for the person who waits. */
  public void note(String text) {
    spec.commandLine().getErr().println(Plain.line(text));
  }

  /** Shows progress on one line that is overwritten each time. Does so only on a terminal. */
  public void progress(String text) {
    if (watched()) {
      PrintWriter err = spec.commandLine().getErr();
      err.print("\r" + cell(text) + "\u001b[K");
      err.flush();
    }
  }

  /**
   * Starts the next of several answers. On a terminal it replaces the previous answer; otherwise it
   * follows it.
   *
   * @return false if the output is closed, so that no further answer can be read
   */
  public boolean again(String title) {
    if (watched()) {
      out().print("\u001b[H\u001b[2J");
    }
    say(title);
    say("");
    return !out().checkError();
  }

  private boolean watched() {
    if (watched == null) {
      watched = !json && Terminal.isThere();
    }
    return watched;
  }

  /** Prints one line that begins with a name. Prints nothing with --json. */
  public void field(String name, String value) {
    say("%-12s %s".formatted(name, Plain.line(value)));
  }

  /**
   * Prints the value as JSON, only with --json. It consists of maps, lists, strings, numbers and
   * booleans.
   */
  public void value(Object value) {
    if (json) {
      try {
        out().println(JSON.writeValueAsString(value));
      } catch (JsonProcessingException e) {
        throw new IllegalStateException("cannot be written as JSON", e);
      }
    }
  }

  /** Prints a table with columns as wide as their content. Prints nothing with --json. */
  public void table(List<String> titles, List<List<String>> rows) {
    if (json) {
      return;
    }
    List<List<String>> lines = new ArrayList<>();
    lines.add(titles.stream().map(title -> title.toUpperCase(Locale.ROOT)).toList());
    rows.forEach(row -> lines.add(row.stream().map(Answer::cell).toList()));
    int[] widths = new int[titles.size()];
    for (List<String> line : lines) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : lines) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        text.append(String.format("%-" + Math.max(1, widths[i]) + "s  ", line.get(i)));
      }
      out().println(text.toString().stripTrailing());
    }
  }

  /**
   * Returns the text as one short line without control characters, which an error's text may
   * contain.
   */
  public static String cell(String text) {
    String line = Plain.line(text).strip();
    return line.length() <= WIDEST ? line : line.substring(0, WIDEST - 1) + "…";
  }

  /** Returns how long ago this was, in one unit, for example "5 min ago". */
  public static String ago(Instant then) {
    Duration ago = Duration.between(then, Instant.now());
    if (ago.toMinutes() < 1) {
      return Math.max(0, ago.toSeconds()) + " s ago";
    }
    if (ago.toHours() < 1) {
      return ago.toMinutes() + " min ago";
    }
    return ago.toDays() < 2 ? ago.toHours() + " h ago" : ago.toDays() + " days ago";
  }

  public static String time(Instant time) {
    return time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
