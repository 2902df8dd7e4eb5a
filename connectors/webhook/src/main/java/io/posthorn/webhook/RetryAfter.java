package io.posthorn.webhook;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Reads the header {@code Retry-After}: seconds or a date. An absent or invalid one means zero. */
final class RetryAfter {
  private RetryAfter() {}

  static Duration parse(@Nullable String header, Instant now, Duration longest) {
    if (header == null) {
      return Duration.ZERO;
    }
    Duration asked = asked(header.strip(), now);
    if (asked.isNegative()) {
      return Duration.ZERO;
    }
    return asked.compareTo(longest) > 0 ? longest : asked;
  }

  private static Duration asked(String text, Instant now) {
    try {
      if (text.matches("[0-9]{1,9}")) {
        return Duration.ofSeconds(Long.parseLong(text));
      }
      ZonedDateTime date = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME);
      return Duration.between(now, date.toInstant());
    } catch (DateTimeException | ArithmeticException e) {
      return Duration.ZERO;
    }
  }
}
