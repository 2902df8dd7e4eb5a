package io.posthorn.api.request;

import io.posthorn.api.access.Caller;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what requests ask for. */
public final class Requests {
  /** The most ids in one request. */
  public static final int MOST_IDS = 1_000;

  private Requests() {}

  /** The caller as the audit records them, with the reason. */
  public static Actor by(Caller caller, @Nullable String why) {
    return new Actor(caller.name(), why == null ? "" : why);
  }

  /** The value of a field that must be there. */
  public static <T> T required(String name, @Nullable T value) {
    if (value == null) {
      throw wrong("nothing was done: '%s' is missing.".formatted(name));
    }
    return value;
  }

  /** Ids that must be there, and not too many. */
  public static List<UUID> ids(@Nullable List<UUID> ids) {
    List<UUID> all = required("ids", ids);
    if (all.isEmpty() || all.size() > MOST_IDS || all.contains(null)) {
      throw wrong(
          "nothing was done: 'ids' has %,d ids. Send 1 to %,d, or start an operation for more."
              .formatted(all.size(), MOST_IDS));
    }
    return all;
  }

  /** A time; null if there is none. */
  public static @Nullable Instant time(String name, @Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw wrong(
          "nothing was done: '%s' is not a time such as 2026-01-31T10:00:00Z.".formatted(name));
    }
  }

  /** A value of an enum, in upper or lower case; null if there is none. */
  public static <E extends Enum<E>> @Nullable E oneOf(
      Class<E> type, String name, @Nullable String text) {
    if (text == null) {
      return null;
    }
    for (E value : type.getEnumConstants()) {
      if (value.name().equalsIgnoreCase(text)) {
        return value;
      }
    }
    throw wrong(
        "nothing was done: '%s' must be one of %s."
            .formatted(name, List.of(type.getEnumConstants())));
  }

  /** The request is never possible in this form. */
  public static PosthornException wrong(String text) {
    return new PosthornException(ErrorCode.INVALID_REQUEST, text);
  }

  /** There is no such thing. */
  public static PosthornException missing(String what, Object id) {
    return new PosthornException(
        ErrorCode.NOT_FOUND, "nothing was done: there is no %s %s.".formatted(what, id));
  }
}
