package io.posthorn.webhook;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Unreadable;
import io.posthorn.envelope.Arrival;
import io.posthorn.envelope.Transport;
import java.time.Clock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Verifies webhooks by Standard Webhooks 1.0.0, and turns genuine ones into messages. It contains
 * no server: call {@link #receive} from yours.
 *
 * <p>The signature covers the id, the time and the body. It covers no other header, not even the
 * one that describes the body. Whether a message was seen before must therefore not depend on any
 * other header: the message's id comes from the webhook's id, and its sender is the name of this
 * endpoint.
 */
public final class WebhookReceiver {
  static final String ID = "webhook-id";

  private static final String INVALID_REQUEST = "INVALID_REQUEST";
  private static final Set<String> ALWAYS_KEPT =
      Set.of(Headers.CORRELATION_ID, Headers.CAUSATION_ID, Headers.TRACEPARENT, Headers.TRACESTATE);

  private final ReceiverConfig config;
  private final Signatures signatures;
  private final Set<String> kept;

  public WebhookReceiver(ReceiverConfig config) {
    this(config, Clock.systemUTC());
  }

  WebhookReceiver(ReceiverConfig config, Clock clock) {
    this.config = config;
    this.signatures = new Signatures(config, clock);
    this.kept = new HashSet<>(ALWAYS_KEPT);
    config.keptHeaders().forEach(name -> kept.add(name.toLowerCase(Locale.ROOT)));
  }

  /** The largest body. Read at most one byte more than this from a request. */
  public int maxBytes() {
    return config.maxBytes();
  }

  /**
   * Verifies one request and reads its message.
   *
   * @param headers of a POST request, names in any case
   * @param body as received, not decoded in any way
   */
  public Incoming receive(Map<String, List<String>> headers, byte[] body) {
    try {
      return new Incoming.Accepted(received(single(headers), body));
    } catch (RefusedException e) {
      return e.refused();
    }
  }

  private Received received(Map<String, String> headers, byte[] body) {
    if (body.length > config.maxBytes()) {
      throw new RefusedException(
          413, "TOO_LARGE", "the body has more than " + config.maxBytes() + " bytes");
    }
    String encoding = headers.getOrDefault("content-encoding", "identity");
    if (!encoding.equalsIgnoreCase("identity")) {
      throw new RefusedException(
          415, "CONTENT_TYPE", "the body is encoded; send it without content-encoding");
    }
    String media = media(headers.get("content-type"));
    if (!config.contentTypes().isEmpty() && !config.contentTypes().contains(media)) {
      throw new RefusedException(
          415, "CONTENT_TYPE", "only " + String.join(", ", config.contentTypes()) + " is accepted");
    }
    signatures.check(headers, body);
    Received read = config.reader().read(arrival(headers, body), false, null);
    Unreadable.reason(read.message())
        .ifPresent(
            reason -> {
              throw new RefusedException(400, reason.code(), reason.text());
            });
    return renamed(read, headers.get(ID));
  }

  private Received renamed(Received read, @Nullable String webhookId) {
    if (webhookId == null) {
      return read;
    }
    Message message = read.message();
    UUID id = MessageIds.of(config.name(), webhookId);
    Map<String, String> headers = new HashMap<>(message.headers());
    if (!read.sender().equals(config.name())) {
      headers.put("ce-source", read.sender());
    }
    if (!message.id().equals(id)) {
      headers.putIfAbsent("ce-id", message.id().toString());
    }
    return new Received(
        config.name(),
        new Message(
            id,
            true,
            message.type(),
            message.schemaVersion(),
            message.key(),
            message.payload(),
            message.contentType(),
            Map.copyOf(headers),
            message.occurredAt(),
            null,
            message.sequence()));
  }

  private Arrival arrival(Map<String, String> headers, byte[] body) {
    String id = headers.get(ID);
    Arrival arrival = Arrival.at(Transport.HTTP, config.name(), body).id(id);
    headers.forEach(
        (name, value) -> {
          if (name.startsWith("ce-") || name.equals("content-type") || kept.contains(name)) {
            arrival.header(name, value);
          }
        });
    if (id == null && !headers.containsKey("ce-id") && !isStructured(headers)) {
      throw new RefusedException(400, INVALID_REQUEST, "header " + ID + " is missing");
    }
    return arrival;
  }

  private static boolean isStructured(Map<String, String> headers) {
    return media(headers.get("content-type")).startsWith("application/cloudevents");
  }

  private static String media(@Nullable String contentType) {
    String type = contentType == null ? "" : contentType;
    int parameters = type.indexOf(';');
    return (parameters < 0 ? type : type.substring(0, parameters)).strip().toLowerCase(Locale.ROOT);
  }

  /** Returns the headers by lower-case name. A repeated header could be read in two ways. */
  private static Map<String, String> single(Map<String, List<String>> headers) {
    Map<String, String> single = new TreeMap<>();
    headers.forEach(
        (name, values) -> {
          if (name == null || values == null || values.isEmpty()) {
            return;
          }
          String lower = name.toLowerCase(Locale.ROOT);
          boolean again = single.put(lower, values.get(0)) != null || values.size() > 1;
          if (again
              && (lower.startsWith("webhook-")
                  || lower.startsWith("ce-")
                  || lower.equals("content-type"))) {
            throw new RefusedException(
                400, INVALID_REQUEST, "header " + lower + " occurs more than once");
          }
        });
    return single;
  }
}
