package io.posthorn.cli.database;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Parses times of the command line. */
public final class Times {
  private Times() {}

  /** Parses a duration such as 90s, 15m, 2h or 3d. */
  public static Duration duration(CommandSpec spec, String option, String text) {
    if (!text.matches("\\d{1,9}[smhd]")) {
      throw new ParameterException(
          spec.commandLine(), option + " is not a duration: write 90s, 15m, 2h or 3d");
    }
    String upper = text.toUpperCase(Locale.ROOT);
    return Duration.parse(upper.endsWith("D") ? "P" + upper : "PT" + upper);
  }

  /** Parses a point in time, or a duration before now. Returns null if the text is null. */
  public static @Nullable Instant parse(CommandSpec spec, String option, @Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      if (text.matches("\\d+[smh]")) {
        return Instant.now().minus(Duration.parse("PT" + text.toUpperCase(Locale.ROOT)));
      }
      if (text.matches("\\d+d")) {
        return Instant.now().minus(Duration.parse("P" + text.toUpperCase(Locale.ROOT)));
      }
      return Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw new ParameterException(
          spec.commandLine(),
          option
              + " is not a time: write for example 2026-01-31T10:00:00Z; or 90s, 15m, 2h, 3d for that long ago",
          e);
    }
  }
}
