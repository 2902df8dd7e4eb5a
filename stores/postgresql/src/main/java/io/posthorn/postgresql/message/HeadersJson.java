package io.posthorn.postgresql.message;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Headers as a flat JSON object of strings, and back. Reads what PostgreSQL prints of a jsonb
 * value, so the input is always well-formed; values that are not strings (another language wrote
 * them) keep their JSON text.
 */
public final class HeadersJson {
  private static final String EMPTY = "{}";

  private final String json;
  private int at;

  private HeadersJson(String json) {
    this.json = json;
  }

  public static String write(Map<String, String> headers) {
    if (headers.isEmpty()) {
      return EMPTY;
    }
    StringBuilder out = new StringBuilder("{");
    headers.forEach(
        (name, value) -> {
          if (out.length() > 1) {
            out.append(',');
          }
          quote(out, name);
          out.append(':');
          quote(out, value);
        });
    return out.append('}').toString();
  }

  private static void quote(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < 0x20) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
  }

  public static Map<String, String> read(String json) {
    return json.equals(EMPTY) ? Map.of() : new HeadersJson(json).object();
  }

  private Map<String, String> object() {
    Map<String, String> headers = new LinkedHashMap<>();
    at = 1;
    while (json.charAt(at) != '}') {
      skip(", ");
      String name = string();
      skip(": ");
      headers.put(name, json.charAt(at) == '"' ? string() : raw());
    }
    return java.util.Collections.unmodifiableMap(headers);
  }

  private void skip(String characters) {
    while (characters.indexOf(json.charAt(at)) >= 0) {
      at++;
    }
  }

  private String string() {
    int start = ++at;
    while (json.charAt(at) != '"' && json.charAt(at) != '\\') {
      at++;
    }
    if (json.charAt(at) == '"') {
      return json.substring(start, at++);
    }
    StringBuilder out = new StringBuilder().append(json, start, at);
    for (char c = json.charAt(at++); c != '"'; c = json.charAt(at++)) {
      out.append(c == '\\' ? escaped() : c);
    }
    return out.toString();
  }

  private char escaped() {
    char c = json.charAt(at++);
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        at += 4;
        yield (char) Integer.parseInt(json.substring(at - 4, at), 16);
      }
      default -> c;
    };
  }

  /** A number, true, false, null, or a nested value: its JSON text. */
  private String raw() {
    int start = at;
    int depth = 0;
    while (depth > 0 || ",}".indexOf(json.charAt(at)) < 0) {
      char c = json.charAt(at);
      if (c == '"') {
        string();
        continue;
      }
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      at++;
    }
    return json.substring(start, at);
  }
}
