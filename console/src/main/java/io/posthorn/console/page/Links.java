package io.posthorn.console.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Key;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/**
 * The addresses of the pages of one database. Templates know it as {@code l}.
 *
 * @param base where the console is mounted; empty or a path without a slash at its end
 * @param database the name of the database; empty for pages that belong to none
 */
public record Links(String base, String database) {
  /** The page of this name, for example {@code dead}; the overview for an empty name. */
  public String to(String page) {
    return base
        + "/"
        + UriUtils.encodePathSegment(database, UTF_8)
        + (page.isEmpty() ? "" : "/" + page);
  }

  /** The page of this name with these parameters; those that are null or empty are left out. */
  public String to(String page, Map<String, ? extends @Nullable Object> parameters) {
    String query =
        parameters.entrySet().stream()
            .filter(one -> one.getValue() != null && !one.getValue().toString().isEmpty())
            .map(one -> one.getKey() + "=" + encoded(String.valueOf(one.getValue())))
            .collect(Collectors.joining("&"));
    return query.isEmpty() ? to(page) : to(page) + "?" + query;
  }

  private static String encoded(String value) {
    return UriUtils.encode(value, UTF_8);
  }

  /** The overview. */
  public String overview() {
    return to("");
  }

  /** One destination. A name that no path can carry goes into the query. */
  public String destination(String name) {
    boolean plain =
        name.chars().allMatch(c -> Character.isLetterOrDigit(c) || "-_.~".indexOf(c) >= 0);
    return plain && !name.startsWith(".")
        ? to("destinations/" + encoded(name))
        : to("destinations", Map.of("name", name));
  }

  /** One message. */
  public String message(UUID id) {
    return to("messages/" + id);
  }

  /** The messages of a key. */
  public String key(Key key) {
    return to("messages", Map.of("key", key.toString()));
  }

  /** The messages of a correlation. */
  public String correlation(String id) {
    return to("messages", Map.of("correlation", id));
  }

  /** One cause of dead letters. */
  public String cause(String fingerprint) {
    return to("dead/causes/" + encoded(fingerprint));
  }

  /** One dead letter. */
  public String letter(UUID id) {
    return to("dead/" + id);
  }

  /** The dead letters of a destination. */
  public String deadOf(String destination) {
    return to("dead", Map.of("destination", destination));
  }

  /** One operation. */
  public String operation(UUID id) {
    return to("operations/" + id);
  }

  /** The dialog of an action. */
  public String act(String action, Map<String, ? extends @Nullable Object> parameters) {
    return to("act/" + action, parameters);
  }

  /** The dialog of an action on one thing. */
  public String act(String action, String name, Object value) {
    return act(action, Map.of(name, value));
  }

  /** The same page of another database. */
  public String in(String other) {
    return new Links(base, other).to("");
  }

  /** An asset; its address changes with its content. */
  public String asset(String name) {
    return base + Assets.path(name);
  }
}
