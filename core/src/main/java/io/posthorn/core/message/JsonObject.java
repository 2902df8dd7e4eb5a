package io.posthorn.core.message;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object, split into its members. Values keep their JSON text until a caller asks for
 * more.
 *
 * <p>Parsing is strict, because the bytes come from other systems: the document must be valid
 * UTF-8, must not repeat a name, and must not nest deeper than 500 levels.
 */
public final class JsonObject {
  private final Map<String, String> members;

  private JsonObject(Map<String, String> members) {
    this.members = members;
  }

  /** Parses the bytes. Returns empty unless they are exactly one JSON object. */
  public static Optional<JsonObject> read(byte[] utf8) {
    return Optional.ofNullable(JsonSyntax.members(utf8)).map(JsonObject::new);
  }

  /** Parses the text. Returns empty unless it is exactly one JSON object. */
  public static Optional<JsonObject> read(String json) {
    return Optional.ofNullable(JsonSyntax.members(json)).map(JsonObject::new);
  }

  /** The names of the members, in the order of the document. */
  public Set<String> names() {
    return members.keySet();
  }

  /** The value as JSON, exactly as the document has it; null if there is no such member. */
  public @Nullable String raw(String name) {
    return members.get(name);
  }

  /**
   * The value of a string, number or boolean as text. Null if the member is missing, null, an
   * object or a list.
   */
  public @Nullable String text(String name) {
    String raw = members.get(name);
    String value = raw == null ? "null" : raw.strip();
    if (value.equals("null") || value.startsWith("{") || value.startsWith("[")) {
      return null;
    }
    return plain(value);
  }

  /** All members as text: strings without their quotes, any other value as its JSON. */
  public Map<String, String> texts() {
    Map<String, String> texts = new LinkedHashMap<>();
    members.forEach((name, raw) -> texts.put(name, plain(raw.strip())));
    return Collections.unmodifiableMap(texts);
  }

  private static String plain(String value) {
    return value.startsWith("\"") ? JsonText.unquote(value) : value;
  }

  /** The value of a member that is itself an object; empty if it is not one. */
  public Optional<JsonObject> object(String name) {
    String raw = members.get(name);
    return raw == null ? Optional.empty() : read(raw);
  }
}
