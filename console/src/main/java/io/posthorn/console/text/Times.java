package io.posthorn.console.text;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Times as people write them. */
public final class Times {
  private static final Pattern AGO = Pattern.compile("(\\d{1,6})\\s*(s|m|min|h|d)");

  private Times() {}

  /** A time, or how long ago, such as {@code 2h}; null for an empty text. */
  public static @Nullable Instant parse(String text) {
    if (text.isBlank()) {
      return null;
    }
    Matcher ago = AGO.matcher(text);
    return ago.matches() ? Instant.now().minus(duration(ago)) : at(text);
  }

  /** A time, or how far ahead, such as {@code 2h}. */
  public static Instant ahead(String text) {
    Matcher in = AGO.matcher(text.strip());
    return in.matches() ? Instant.now().plus(duration(in)) : at(text.strip());
  }

  private static Duration duration(Matcher text) {
    long number = Long.parseLong(text.group(1));
    return switch (text.group(2)) {
      case "s" -> Duration.ofSeconds(number);
      case "m", "min" -> Duration.ofMinutes(number);
      case "h" -> Duration.ofHours(number);
      default -> Duration.ofDays(number);
    };
  }

  private static Instant at(String text) {
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      try {
        return LocalDateTime.parse(text).toInstant(ZoneOffset.UTC);
      } catch (DateTimeException none) {
        throw new PosthornException(
            ErrorCode.INVALID_REQUEST,
            "'%s' is not a time: write 2026-01-31T10:00:00Z, or a duration such as 2h."
                .formatted(text.length() > 60 ? text.substring(0, 60) + "…" : text));
      }
    }
  }
}
