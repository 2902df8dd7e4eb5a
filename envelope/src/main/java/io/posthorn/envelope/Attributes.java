package io.posthorn.envelope;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A message's attributes as a CloudEvent, except its content type. Names consist of lower-case
 * letters and digits, as CloudEvents requires.
 */
record Attributes(String sender) {
  /** Throws if the sender is not a URI reference, which CloudEvents requires. */
  static Attributes from(String sender) {
    try {
      if (!sender.isEmpty()) {
        return new Attributes(URI.create(sender).toString());
      }
    } catch (IllegalArgumentException e) {
      // reported below
    }
    throw new PosthornException(
        ErrorCode.CONFIGURATION,
        "the envelope was not configured: sender '%s' is not a URI reference. Set one, for example /shop/orders."
            .formatted(sender));
  }

  Map<String, String> of(Message message) {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put("specversion", "1.0");
    attributes.put("id", message.id().toString());
    attributes.put("source", sender);
    attributes.put("type", message.type());
    attributes.put("time", message.occurredAt().toString());
    Key key = message.key();
    if (key != null) {
      attributes.put("subject", key.id());
      attributes.put("aggregatetype", key.aggregateType());
      attributes.put("partitionkey", key.id());
    }
    attributes.put("schemaversion", Integer.toString(message.schemaVersion()));
    if (message.sequence() > 0) {
      attributes.put("sequence", sequence(message.sequence()));
    }
    copy(message, Headers.CORRELATION_ID, attributes, "correlationid");
    copy(message, Headers.CAUSATION_ID, attributes, "causationid");
    copy(message, Headers.TRACEPARENT, attributes, "traceparent");
    copy(message, Headers.TRACESTATE, attributes, "tracestate");
    return attributes;
  }

  /** Pads to the width of the largest number, because receivers compare sequences as text. */
  private static String sequence(long place) {
    String digits = Long.toString(place);
    return "0".repeat(19 - digits.length()) + digits;
  }

  private static void copy(
      Message message, String header, Map<String, String> attributes, String attribute) {
    String value = message.headers().get(header);
    if (value != null && !value.isEmpty()) {
      attributes.put(attribute, value);
    }
  }
}
