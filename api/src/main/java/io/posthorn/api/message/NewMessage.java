package io.posthorn.api.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.json.PosthornJson;
import io.posthorn.api.request.AskedKey;
import io.posthorn.api.request.Requests;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A message to add. Exactly one of {@code payload}, {@code text} and {@code base64} is its content.
 *
 * @param id the message's id, which makes repeating the request safe; in a batch it is required
 * @param type a stable logical name
 * @param schemaVersion the version of the payload's schema; default: 1
 * @param key messages of one key keep their order
 * @param payload any JSON
 * @param text text, with its {@code contentType}
 * @param base64 bytes, with their {@code contentType}
 * @param contentType default for {@code payload}: application/json
 * @param occurredAt when it happened in the business; default: now
 * @param notBefore the earliest time of delivery; default: at once
 */
public record NewMessage(
    @Nullable UUID id,
    @Nullable String type,
    @Nullable Integer schemaVersion,
    @Nullable AskedKey key,
    @Nullable JsonNode payload,
    @Nullable String text,
    @Nullable String base64,
    @Nullable String contentType,
    @Nullable Map<String, String> headers,
    @Nullable String occurredAt,
    @Nullable String notBefore) {

  Message message(UUID its) {
    Message.Builder message = Message.of(Requests.required("type", type)).id(its);
    message.payload(bytes(), media());
    if (schemaVersion != null) {
      message.schemaVersion(schemaVersion);
    }
    if (key != null) {
      Key one = key.key();
      message.key(one.aggregateType(), one.id());
    }
    if (headers != null) {
      headers.forEach(
          (name, value) -> message.header(name, Requests.required("headers." + name, value)));
    }
    Instant occurred = Requests.time("occurredAt", occurredAt);
    if (occurred != null) {
      message.occurredAt(occurred);
    }
    Instant due = Requests.time("notBefore", notBefore);
    if (due != null) {
      message.notBefore(due);
    }
    return message.build();
  }

  private String media() {
    return payload != null && contentType == null
        ? Message.JSON
        : Requests.required("contentType", contentType);
  }

  private byte[] bytes() {
    int given = (payload == null ? 0 : 1) + (text == null ? 0 : 1) + (base64 == null ? 0 : 1);
    if (given != 1) {
      throw Requests.wrong(
          "nothing was added: exactly one of 'payload', 'text' and 'base64' must be given.");
    }
    if (payload != null) {
      return PosthornJson.MAPPER.writeValueAsBytes(payload);
    }
    if (text != null) {
      return text.getBytes(UTF_8);
    }
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw Requests.wrong("nothing was added: 'base64' is not valid Base64.");
    }
  }
}
