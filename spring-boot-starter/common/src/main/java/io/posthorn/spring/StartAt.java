package io.posthorn.spring;

import io.posthorn.core.store.Start;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a destination or a consumer begins in the log when it is registered for the first time.
 *
 * @param text {@code now}, {@code earliest}, or a time such as {@code 2026-01-01T00:00:00Z}
 */
public record StartAt(String text) {
  /** Why the text is not a start; empty if it is one. */
  public Optional<String> problem() {
    return parsed() == null
        ? Optional.of(
            "is '%s': it must be now, earliest, or a time such as 2026-01-01T00:00:00Z"
                .formatted(text))
        : Optional.empty();
  }

  /** The start; {@link Start#NOW} if the text is not one, which {@link #problem} reports. */
  public Start start() {
    Start start = parsed();
    return start == null ? Start.NOW : start;
  }

  private @Nullable Start parsed() {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "now" -> Start.NOW;
      case "earliest" -> Start.EARLIEST;
      default -> dated(text.strip());
    };
  }

  private static @Nullable Start dated(String time) {
    try {
      return Start.at(Instant.parse(time));
    } catch (DateTimeParseException e) {
      return null;
    }
  }
}
