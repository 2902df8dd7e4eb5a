package io.posthorn.envelope;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Unreadable;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns what a broker delivered into messages. A CloudEvent is recognised in both modes, whatever
 * else is configured. Anything else is a plain message: its body is the payload, and its headers
 * are the message's headers.
 *
 * <p>What cannot be read becomes an {@link Unreadable} message. Senders can be wrong or hostile;
 * neither may stop a feed or go unnoticed.
 */
public final class EnvelopeReader {
  static final int TYPE = 200;
  static final int KEY = 255;

  private static final String INVALID_ENVELOPE = "INVALID_ENVELOPE";
  private static final String OCTETS = "application/octet-stream";

  private final @Nullable String plainType;
  private final @Nullable String typeHeader;
  private final @Nullable String idHeader;

  private EnvelopeReader(
      @Nullable String plainType, @Nullable String typeHeader, @Nullable String idHeader) {
    this.plainType = plainType;
    this.typeHeader = typeHeader;
    this.idHeader = idHeader;
  }

  /** Reads CloudEvents 1.0 in binary or structured mode. Anything else is unreadable. */
  public static EnvelopeReader cloudEvents() {
    return new EnvelopeReader(null, null, null);
  }

  /** Anything that is not a CloudEvent is a message of this type. */
  public static EnvelopeReader plain(String type) {
    return new EnvelopeReader(type, null, null);
  }

  /**
   * Anything that is not a CloudEvent has its type in this header, or in the broker's own field.
   */
  public static EnvelopeReader plainByHeader(String header) {
    return new EnvelopeReader(null, header, null);
  }

  /** Plain messages have their id in this header, or else the broker's id, or else their place. */
  public EnvelopeReader idFrom(String header) {
    return new EnvelopeReader(plainType, typeHeader, header);
  }

  /** Reads one message. Never throws. */
  public Received read(Arrival arrival, boolean redelivered, @Nullable Object place) {
    Received read;
    try {
      read = read(arrival);
    } catch (UnreadableException e) {
      read = unreadable(arrival, String.valueOf(e.getMessage()));
    } catch (RuntimeException e) {
      read = unreadable(arrival, e.toString());
    }
    return new Received(read.sender(), read.message(), redelivered, place);
  }

  private Received read(Arrival arrival) {
    String problem = arrival.problem();
    if (problem != null) {
      throw new UnreadableException(problem);
    }
    String contentType = arrival.contentType();
    String media = contentType == null ? "" : contentType.strip().toLowerCase(Locale.ROOT);
    if (media.startsWith("application/cloudevents")) {
      return StructuredReader.read(arrival, media);
    }
    if (!arrival.attributes().isEmpty()) {
      return new Event(arrival.attributes(), arrival)
          .received(arrival.body(), contentType == null ? OCTETS : contentType);
    }
    return plain(arrival);
  }

  private Received plain(Arrival arrival) {
    Map<String, String> headers = arrival.own();
    String type = plainType;
    if (type == null && typeHeader != null) {
      type = headers.getOrDefault(typeHeader, arrival.type());
    }
    if (type == null || type.isEmpty()) {
      throw new UnreadableException(
          plainType == null && typeHeader == null
              ? "it is not a CloudEvent, and the reader accepts no plain messages"
              : "it is not a CloudEvent, and has no header '" + typeHeader + "' with its type");
    }
    String contentType = arrival.contentType();
    String key = arrival.key();
    return checked(
        arrival.address(),
        new Message(
            plainId(arrival, headers),
            true,
            type,
            1,
            key == null ? null : Key.of(Event.NO_AGGREGATE, Texts.fit(key, KEY)),
            arrival.body(),
            contentType == null ? OCTETS : contentType,
            Map.copyOf(headers),
            arrival.time(),
            null));
  }

  private UUID plainId(Arrival arrival, Map<String, String> headers) {
    String id = idHeader == null ? null : headers.get(idHeader);
    if (id == null || id.isEmpty()) {
      id = arrival.id();
    }
    return id == null || id.isEmpty() ? idOfPlace(arrival) : MessageIds.of(arrival.address(), id);
  }

  private static UUID idOfPlace(Arrival arrival) {
    String place = arrival.place();
    return place == null ? MessageIds.fresh() : MessageIds.of(arrival.address(), place);
  }

  /** Checks last of all that the database can store what was read. */
  static Received checked(String sender, Message message) {
    check("type", message.type(), TYPE);
    check("content type", message.contentType(), TYPE);
    Key key = message.key();
    if (key != null) {
      check("aggregate type", key.aggregateType(), KEY);
      check("key", key.id(), KEY);
    }
    return new Received(sender, message);
  }

  private static void check(String what, String text, int most) {
    if (text.length() > most || !Texts.isText(text)) {
      throw new UnreadableException(
          "the %s is longer than %d characters, or contains a character that is not text"
              .formatted(what, most));
    }
  }

  private static Received unreadable(Arrival arrival, String why) {
    Map<String, String> headers = new LinkedHashMap<>(arrival.own());
    arrival
        .attributes()
        .forEach(
            (name, value) ->
                headers.put(
                    Texts.clean(Event.OTHER + name, Arrival.HEADER_NAME),
                    Texts.clean(value, Arrival.HEADER_VALUE)));
    String contentType = arrival.contentType();
    if (contentType != null) {
      headers.put("content-type", Texts.clean(contentType, Arrival.HEADER_VALUE));
    }
    return new Received(
        arrival.address(),
        Unreadable.message(
            idOfPlace(arrival),
            arrival.body(),
            headers,
            arrival.time(),
            Reason.of(INVALID_ENVELOPE, Texts.clean(why, Arrival.HEADER_VALUE))));
  }
}
