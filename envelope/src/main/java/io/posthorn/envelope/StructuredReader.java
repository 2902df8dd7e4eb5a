package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.JsonObject;
import io.posthorn.core.message.JsonSyntax;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Received;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads a CloudEvent in structured mode: one JSON document. */
final class StructuredReader {
  private static final String DATA = "data";
  private static final String BASE64 = "data_base64";

  private StructuredReader() {}

  static Received read(Arrival arrival, String media) {
    if (!media.matches("application/cloudevents\\+json\\s*(;.*)?")) {
      throw new UnreadableException(
          "its content type is %s, but only application/cloudevents+json can be read"
              .formatted(Texts.clean(media, 100)));
    }
    JsonObject document =
        JsonObject.read(arrival.body())
            .orElseThrow(
                () ->
                    new UnreadableException(
                        "its content type is that of a CloudEvent, but its body is not a JSON object in UTF-8"));
    Map<String, String> attributes = new LinkedHashMap<>();
    for (String name : document.names()) {
      if (!name.equals(DATA) && !name.equals(BASE64)) {
        put(attributes, name, document);
      }
    }
    String contentType = attributes.getOrDefault("datacontenttype", Message.JSON);
    return new Event(attributes, arrival).received(payload(document, contentType), contentType);
  }

  private static void put(Map<String, String> attributes, String name, JsonObject document) {
    String value = document.text(name);
    if (value != null) {
      attributes.put(name, value);
    } else if (!"null".equals(String.valueOf(document.raw(name)).strip())) {
      throw new UnreadableException(
          "attribute " + Texts.clean(name, Arrival.HEADER_NAME) + " is an object or a list");
    }
  }

  private static byte[] payload(JsonObject document, String contentType) {
    String data = document.raw(DATA);
    String base64 = document.text(BASE64);
    if (data != null && base64 != null) {
      throw new UnreadableException("it has both data and data_base64");
    }
    if (base64 != null) {
      return decoded(base64);
    }
    if (data == null) {
      return new byte[0];
    }
    String text = isText(data) && !JsonSyntax.isNamedBy(contentType) ? document.text(DATA) : data;
    return bytes(text);
  }

  private static boolean isText(String raw) {
    return raw.stripLeading().startsWith("\"");
  }

  private static byte[] bytes(@Nullable String text) {
    if (text == null || !UTF_8.newEncoder().canEncode(text)) {
      throw new UnreadableException("its data contains an incomplete character");
    }
    return text.getBytes(UTF_8);
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new UnreadableException("data_base64 is not base64");
    }
  }
}
