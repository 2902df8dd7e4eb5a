package io.posthorn.json;

import io.posthorn.core.message.UnreadablePayloadException;
import io.posthorn.core.message.Upcaster;
import java.util.function.Consumer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Upcasters that change a JSON object in place.
 *
 * <pre>{@code
 * .upcast("OrderPlaced", 1, 2, JsonUpcaster.of(order -> order.put("currency", "EUR")))
 * }</pre>
 */
public final class JsonUpcaster {
  /** Keeps numbers exactly as they were written: their payload may be an amount of money. */
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private JsonUpcaster() {}

  /**
   * An upcaster that parses the payload, lets the change edit it, and writes it again. A payload
   * that is not a JSON object becomes a dead letter at once.
   */
  public static Upcaster of(Consumer<ObjectNode> change) {
    return payload -> {
      ObjectNode json = object(payload);
      change.accept(json);
      return MAPPER.writeValueAsBytes(json);
    };
  }

  private static ObjectNode object(byte[] payload) {
    JsonNode node;
    try {
      node = MAPPER.readTree(payload);
    } catch (JacksonException e) {
      // The exception's text could quote the payload.
      throw new UnreadablePayloadException("the payload is not valid JSON");
    }
    if (node instanceof ObjectNode object) {
      return object;
    }
    throw new UnreadablePayloadException("the payload is not a JSON object");
  }
}
