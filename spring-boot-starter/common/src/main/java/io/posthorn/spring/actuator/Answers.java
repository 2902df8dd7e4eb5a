package io.posthorn.spring.actuator;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * The answers of the endpoints. Spring Boot drops the text of a 400, so the text is the answer's
 * body. Parameters are therefore read here, and not by Spring Boot.
 */
final class Answers {
  private static final int PAGE = 50;
  private static final int LARGEST_PAGE = 500;
  private static final Set<ErrorCode> OF_THE_CALLER =
      Set.of(ErrorCode.INVALID_REQUEST, ErrorCode.NOT_FOUND, ErrorCode.CONFLICT);

  private Answers() {}

  /** Why there is no other answer. */
  record Problem(String error) {}

  static WebEndpointResponse<Object> of(Supplier<Object> work) {
    return answer(() -> new WebEndpointResponse<>(work.get()));
  }

  private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> work) {
    try {
      return work.get();
    } catch (PosthornException e) {
      if (e.code() == ErrorCode.MISSING_RIGHTS) {
        return problem(e, 403);
      }
      if (!OF_THE_CALLER.contains(e.code())) {
        throw e;
      }
      return problem(e, WebEndpointResponse.STATUS_BAD_REQUEST);
    }
  }

  private static WebEndpointResponse<Object> problem(PosthornException e, int status) {
    return new WebEndpointResponse<>(new Problem(String.valueOf(e.getMessage())), status);
  }

  /** The answer 404, with this text, if nothing is found. */
  static WebEndpointResponse<Object> ofOne(Supplier<Optional<?>> work, String missing) {
    return answer(
        () ->
            work.get()
                .map(found -> new WebEndpointResponse<Object>(found))
                .orElseGet(
                    () ->
                        new WebEndpointResponse<>(
                            new Problem(missing), WebEndpointResponse.STATUS_NOT_FOUND)));
  }

  static PosthornException wrong(String why) {
    return new PosthornException(ErrorCode.INVALID_REQUEST, why);
  }

  /** The size of a page: 50, unless another one up to 500 is asked for. */
  static int limit(@Nullable String text) {
    if (text == null) {
      return PAGE;
    }
    if (!text.matches("\\d{1,4}")
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > LARGEST_PAGE) {
      throw wrong("limit is '%s': it must be from 1 to %d".formatted(text, LARGEST_PAGE));
    }
    return Integer.parseInt(text);
  }

  static @Nullable Long number(String parameter, @Nullable String text) {
    if (text == null) {
      return null;
    }
    if (!text.matches("\\d{1,18}")) {
      throw wrong("%s is '%s': it must be a number".formatted(parameter, text));
    }
    return Long.valueOf(text);
  }

  static @Nullable Instant time(String parameter, @Nullable String text) {
    try {
      return text == null ? null : Instant.parse(text);
    } catch (DateTimeParseException e) {
      throw wrong(
          "%s is '%s': it must be a time such as 2026-01-31T10:00:00Z".formatted(parameter, text));
    }
  }

  static UUID id(String parameter, String text) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw wrong(
          "%s is '%s': it must be an id such as 01985c3e-8f00-7000-8000-000000000000"
              .formatted(parameter, text));
    }
  }

  static @Nullable UUID optionalId(String parameter, @Nullable String text) {
    return text == null ? null : id(parameter, text);
  }

  /** A key in the form {@code order/42}. */
  static Key key(String text) {
    int slash = text.indexOf('/');
    if (slash < 1) {
      throw wrong("key is '%s': it must be like order/42".formatted(text));
    }
    return Key.of(text.substring(0, slash), text.substring(slash + 1));
  }

  static <E extends Enum<E>> E oneOf(Class<E> type, String parameter, String text) {
    for (E value : type.getEnumConstants()) {
      if (value.name().equalsIgnoreCase(text)) {
        return value;
      }
    }
    throw wrong(
        "%s is '%s': it must be one of %s"
            .formatted(
                parameter,
                text,
                String.join(
                    ", ",
                    Arrays.stream(type.getEnumConstants())
                        .map(value -> value.name().toLowerCase(Locale.ROOT))
                        .toList())));
  }
}
