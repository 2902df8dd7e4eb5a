package io.posthorn.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object, taken apart and no further: values stay as they were written until somebody asks
 * for them. Strict, because it comes from strangers: valid UTF-8, no name twice, bounded depth.
 */
public final class JsonObject {
  private final Map<String, String> members;

  private JsonObject(Map<String, String> members) {
    this.members = members;
  }

  /** Nothing if these bytes are anything but one JSON object. */
  public static Optional<JsonObject> read(byte[] utf8) {
    return Optional.ofNullable(JsonSyntax.members(utf8)).map(JsonObject::new);
  }

  public Set<String> names() {
    return members.keySet();
  }

  /** The value as it stands in the document; none if there is no such member. */
  public @Nullable String raw(String name) {
    return members.get(name);
  }

  /** A string, number or boolean as text; none if there is none, or null, or something larger. */
  public @Nullable String text(String name) {
    String raw = members.get(name);
    String value = raw == null ? "null" : raw.strip();
    if (value.equals("null") || value.startsWith("{") || value.startsWith("[")) {
      return null;
    }
    return value.startsWith("\"") ? decoded(value) : value;
  }

  /** A member that is an object itself. */
  public Optional<JsonObject> object(String name) {
    String raw = members.get(name);
    return raw == null ? Optional.empty() : read(raw.getBytes(UTF_8));
  }

  /** What a valid string of JSON says. */
  static String decoded(String literal) {
    StringBuilder text = new StringBuilder(literal.length());
    for (int i = 1; i < literal.length() - 1; i++) {
      char c = literal.charAt(i);
      if (c != '\\') {
        text.append(c);
        continue;
      }
      char escaped = literal.charAt(++i);
      if (escaped == 'u') {
        text.append((char) Integer.parseInt(literal, i + 1, i + 5, 16));
        i += 4;
      } else {
        int known = "bfnrt".indexOf(escaped);
        text.append(known < 0 ? escaped : "\b\f\n\r\t".charAt(known));
      }
    }
    return text.toString();
  }
}
