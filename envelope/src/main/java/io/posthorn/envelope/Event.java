package io.posthorn.envelope;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.source.Received;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A CloudEvent being read: the reverse of {@link Attributes}. */
final class Event {
  /** The aggregate type of keys whose sender gives none. */
  static final String NO_AGGREGATE = "key";

  /** The prefix of headers for attributes that have no other place in a message. */
  static final String OTHER = "ce-";

  private static final Set<String> KNOWN =
      Set.of("specversion", "source", "type", "datacontenttype", "partitionkey", "aggregatetype");

  private final Map<String, String> left;
  private final Map<String, String> headers;
  private final Arrival arrival;

  Event(Map<String, String> attributes, Arrival arrival) {
    this.left = new LinkedHashMap<>(attributes);
    this.headers = new LinkedHashMap<>(arrival.own());
    this.arrival = arrival;
  }

  Received received(byte[] payload, String contentType) {
    String version = left.get("specversion");
    if (!"1.0".equals(version)) {
      throw new UnreadableException(
          version == null
              ? "attribute specversion is missing"
              : "it is a CloudEvent of version '%s', but only version 1.0 can be read"
                  .formatted(Texts.clean(version, 20)));
    }
    String sender = required("source");
    String type = required("type");
    UUID id = id(sender);
    Key key = key();
    long sequence = sequence();
    int schemaVersion = schemaVersion();
    Instant time = time();
    header("correlationid", Headers.CORRELATION_ID);
    header("causationid", Headers.CAUSATION_ID);
    header("traceparent", Headers.TRACEPARENT);
    header("tracestate", Headers.TRACESTATE);
    left.keySet().removeAll(KNOWN);
    left.forEach((name, value) -> header(OTHER + name, value, headers));
    return EnvelopeReader.checked(
        Texts.fit(sender, EnvelopeReader.KEY),
        new Message(
            id,
            true,
            type,
            schemaVersion,
            key,
            payload,
            contentType,
            Map.copyOf(headers),
            time,
            null,
            sequence));
  }

  private String required(String name) {
    String value = left.get(name);
    if (value == null || value.isEmpty() || !Texts.isText(value)) {
      throw new UnreadableException("attribute " + name + " is missing or is not text");
    }
    return value;
  }

  /** Returns the message's id. An id that is not a UUID stays readable in the headers. */
  private UUID id(String sender) {
    String text = required("id");
    UUID id = MessageIds.of(Texts.fit(sender, EnvelopeReader.KEY), text);
    if (id.toString().equalsIgnoreCase(text)) {
      left.remove("id");
    }
    return id;
  }

  private @Nullable Key key() {
    String subject = left.get("subject");
    String id = left.getOrDefault("partitionkey", subject);
    if (id == null) {
      id = arrival.key();
    }
    if (id == null || (id.isEmpty() && !left.containsKey("aggregatetype"))) {
      return null;
    }
    String fit = Texts.fit(id, EnvelopeReader.KEY);
    if (fit.equals(subject)) {
      left.remove("subject");
    }
    return Key.of(left.getOrDefault("aggregatetype", NO_AGGREGATE), fit);
  }

  private long sequence() {
    String text = left.getOrDefault("sequence", "");
    try {
      long sequence = text.matches("[0-9]{1,19}") ? Long.parseLong(text) : 0;
      if (sequence > 0) {
        left.remove("sequence");
      }
      return sequence;
    } catch (NumberFormatException tooLarge) {
      return 0;
    }
  }

  private int schemaVersion() {
    String text = left.getOrDefault("schemaversion", "");
    if (!text.matches("[0-9]{1,9}")) {
      return 1;
    }
    left.remove("schemaversion");
    return Integer.parseInt(text);
  }

  private Instant time() {
    String text = left.get("time");
    if (text != null) {
      try {
        Instant time = OffsetDateTime.parse(text).toInstant();
        if (Arrival.isSane(time)) {
          left.remove("time");
          return time;
        }
      } catch (DateTimeParseException e) {
        // The broker's time is used instead; the invalid text stays in the headers.
      }
    }
    return arrival.time();
  }

  /** Moves an attribute to a header. A header sent under its own name takes precedence. */
  private void header(String attribute, String header) {
    String value = left.remove(attribute);
    if (value != null && !headers.containsKey(header)) {
      header(header, value, headers);
    }
  }

  private static void header(String name, String value, Map<String, String> headers) {
    headers.put(Texts.clean(name, Arrival.HEADER_NAME), Texts.clean(value, Arrival.HEADER_VALUE));
  }
}
