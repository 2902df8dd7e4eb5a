package io.posthorn.server.file;

import io.posthorn.spring.StartAt;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.convert.ConversionException;
import org.springframework.util.unit.DataSize;

/** Checks single values: whether they can be read as what their key is, and are possible. */
final class Values {
  // A bare number would be milliseconds or bytes, which nobody who writes 30 means.
  private static final Pattern DURATION = Pattern.compile("[+-]?\\d+(ns|us|ms|s|m|h|d)|[+-]?P.+");
  private static final Pattern SIZE = Pattern.compile("\\d+(B|KB|MB|GB|TB)");
  private static final int MOST_PORT = 65_535;

  private Values() {}

  /**
   * Returns what is wrong with a value, without the value itself.
   *
   * @param key the name of the key
   */
  static Optional<String> problem(String key, String text, Class<?> type) {
    if (type == Duration.class && !DURATION.matcher(text).matches()) {
      return Optional.of("is no duration: write a number and its unit, such as 500ms, 10s or 7d");
    }
    if (type == DataSize.class && !SIZE.matcher(text).matches()) {
      return Optional.of("is no size: write a number and its unit, such as 512KB or 16MB");
    }
    try {
      Object value = ApplicationConversionService.getSharedInstance().convert(text, type);
      return Optional.ofNullable(impossible(key, value));
    } catch (ConversionException e) {
      return Optional.of(unreadable(type));
    }
  }

  private static @Nullable String impossible(String key, @Nullable Object value) {
    if (value instanceof Duration duration) {
      boolean zeroAllowed = key.endsWith("grace");
      if (duration.isNegative() || (duration.isZero() && !zeroAllowed)) {
        return "must be more than 0, for example 10s";
      }
    } else if (value instanceof DataSize size && size.toBytes() < 1) {
      return "must be at least 1B";
    } else if (value instanceof Integer number) {
      boolean port = key.equals("port");
      if (port ? number < 0 || number > MOST_PORT : number < 1) {
        return port ? "must be from 0 to 65535" : "must be at least 1";
      }
    } else if (value instanceof StartAt start && start.problem().isPresent()) {
      return "must be now, earliest, or a time such as 2026-01-01T00:00:00Z";
    } else if (key.equals("partition") && !String.valueOf(value).matches("\\d{1,9}")) {
      return "must be the number of a partition";
    } else if (value instanceof Double number && !(number >= 0)) {
      return "must not be negative";
    }
    return null;
  }

  private static String unreadable(Class<?> type) {
    if (type.isEnum()) {
      return "must be one of " + String.join(", ", names(type));
    }
    if (type == boolean.class || type == Boolean.class) {
      return "must be true or false";
    }
    if (type == int.class || type == Integer.class) {
      return "must be a whole number";
    }
    return type == double.class || type == Double.class
        ? "must be a number"
        : "cannot be read as a value of this key";
  }

  /** The values of an enumeration as they are written in the file. */
  static List<String> names(Class<?> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(one -> ((Enum<?>) one).name().toLowerCase(Locale.ROOT).replace('_', '-'))
        .collect(Collectors.toList());
  }
}
