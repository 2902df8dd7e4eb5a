package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.JsonSyntax;
import io.posthorn.core.message.JsonText;
import io.posthorn.core.message.Message;
import java.io.ByteArrayOutputStream;
import java.util.Base64;
import java.util.Map;

/** Writes the JSON document of a CloudEvent in structured mode. */
final class StructuredJson {
  private StructuredJson() {}

  static byte[] of(Map<String, String> attributes, Message message) {
    StringBuilder head = new StringBuilder(256).append('{');
    attributes.forEach((name, value) -> member(head, name, value));
    member(head, "datacontenttype", message.contentType());
    byte[] payload = message.payload();
    boolean json = JsonSyntax.isNamedBy(message.contentType()) && JsonSyntax.isValid(payload);
    if (payload.length == 0) {
      head.setCharAt(head.length() - 1, '}');
    } else if (json) {
      head.append("\"data\":");
    } else {
      member(head, "data_base64", Base64.getEncoder().encodeToString(payload));
      head.setCharAt(head.length() - 1, '}');
    }
    return json && payload.length > 0
        ? joined(head.toString().getBytes(UTF_8), payload)
        : head.toString().getBytes(UTF_8);
  }

  private static byte[] joined(byte[] head, byte[] payload) {
    ByteArrayOutputStream document = new ByteArrayOutputStream(head.length + payload.length + 1);
    document.writeBytes(head);
    document.writeBytes(payload);
    document.write('}');
    return document.toByteArray();
  }

  private static void member(StringBuilder json, String name, String value) {
    JsonText.quote(json, name);
    json.append(':');
    JsonText.quote(json, value);
    json.append(',');
  }
}
