package io.posthorn.postgresql.message;

import io.posthorn.core.message.JsonObject;
import io.posthorn.core.message.JsonText;
import java.util.Map;

/**
 * Converts headers to a flat JSON object of strings, and back. Values that are not strings (written
 * in another language) keep their JSON text.
 */
public final class HeadersJson {
  private HeadersJson() {}

  public static String write(Map<String, String> headers) {
    return JsonText.object(headers);
  }

  public static Map<String, String> read(String json) {
    // Most messages have no headers.
    return json.equals("{}")
        ? Map.of()
        : JsonObject.read(json)
            .orElseThrow(() -> new IllegalArgumentException("the headers are not a JSON object"))
            .texts();
  }
}
