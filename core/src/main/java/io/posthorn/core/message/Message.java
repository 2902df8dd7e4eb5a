package io.posthorn.core.message;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an application wants delivered. Immutable; the payload's bytes are not copied, so do not
 * change them after handing them over.
 *
 * @param id unique for ever; a UUIDv7 unless the caller gave one
 * @param idGiven the caller chose the id, so a second message of that id is refused
 * @param type stable logical name, never a class name
 * @param key messages of one key keep their order; none = no order
 * @param notBefore the earliest time of delivery; none = at once
 * @param sequence its place in the log, which grows within a key; 0 until a relay hands it over
 */
@SuppressWarnings(
    "ArrayRecordComponent") // payloads are bytes; copying each would cost more than it saves
public record Message(
    UUID id,
    boolean idGiven,
    String type,
    int schemaVersion,
    @Nullable Key key,
    byte[] payload,
    String contentType,
    Map<String, String> headers,
    Instant occurredAt,
    @Nullable Instant notBefore,
    long sequence) {

  public static final String JSON = "application/json";

  /** One that no relay has handed over yet. */
  public Message(
      UUID id,
      boolean idGiven,
      String type,
      int schemaVersion,
      @Nullable Key key,
      byte[] payload,
      String contentType,
      Map<String, String> headers,
      Instant occurredAt,
      @Nullable Instant notBefore) {
    this(
        id,
        idGiven,
        type,
        schemaVersion,
        key,
        payload,
        contentType,
        headers,
        occurredAt,
        notBefore,
        0);
  }

  /** Starts a message of this type; see {@link MessageTypes} for the registry of types. */
  public static Builder of(String type) {
    return new Builder(type);
  }

  /**
   * The same message with other bytes: what a cipher or a correction makes of it. It keeps its id,
   * so do not add both: they would be two messages with one id, of which receivers take one. Start
   * another message with {@link #of}.
   */
  public Message withPayload(byte[] bytes) {
    return new Message(
        id,
        idGiven,
        type,
        schemaVersion,
        key,
        bytes,
        contentType,
        headers,
        occurredAt,
        notBefore,
        sequence);
  }

  /** The same message, also by its id, with these headers instead of its own. */
  public Message withHeaders(Map<String, String> others) {
    return new Message(
        id,
        idGiven,
        type,
        schemaVersion,
        key,
        payload,
        contentType,
        others,
        occurredAt,
        notBefore,
        sequence);
  }

  /** The same message in this trace context: these headers in place of its own; none = as it is. */
  public Message withTrace(Map<String, String> context) {
    if (context.isEmpty()) {
      return this;
    }
    Map<String, String> others = new HashMap<>(headers);
    others.remove(Headers.TRACESTATE);
    others.putAll(context);
    return withHeaders(Map.copyOf(others));
  }

  /** The same message with its place in the log. */
  public Message withSequence(long place) {
    if (place == sequence) {
      return this;
    }
    return new Message(
        id,
        idGiven,
        type,
        schemaVersion,
        key,
        payload,
        contentType,
        headers,
        occurredAt,
        notBefore,
        place);
  }

  /**
   * The id that this message shares with everything that follows from it: the header {@code
   * correlation-id}. A message without that header, or with one that is too long to be stored, is
   * the start of its own chain, and its id is used.
   */
  public String correlationId() {
    String own = headers.get(Headers.CORRELATION_ID);
    return own == null || own.length() > Headers.LONGEST_CORRELATION_ID ? id.toString() : own;
  }

  /** How much room it takes: the bytes of its payload and the letters of its headers. */
  public long bytes() {
    long bytes = payload.length;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  /** Names the message without telling what is in it. */
  @Override
  public String toString() {
    return type + " " + id + (key == null ? "" : " of " + key);
  }

  /** Ids are unique, so they alone decide. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Message that && id.equals(that.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  /** Collects what a message is made of; only the type and the payload are required. */
  public static final class Builder {
    private final String type;
    private @Nullable UUID id;
    private int schemaVersion = 1;
    private @Nullable Key key;
    private byte[] payload = {};
    private String contentType = JSON;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable Instant occurredAt;
    private @Nullable Instant notBefore;

    private Builder(String type) {
      this.type = type;
    }

    /**
     * Your own id; a second message with it is refused for twice the retention, 14 days by default.
     */
    public Builder id(UUID given) {
      this.id = given;
      return this;
    }

    public Builder schemaVersion(int version) {
      this.schemaVersion = version;
      return this;
    }

    public Builder key(String aggregateType, String aggregateId) {
      this.key = new Key(aggregateType, aggregateId);
      return this;
    }

    public Builder payload(byte[] bytes, String bytesContentType) {
      this.payload = bytes;
      this.contentType = bytesContentType;
      return this;
    }

    /** JSON that is already encoded as UTF-8. */
    public Builder json(byte[] utf8) {
      return payload(utf8, JSON);
    }

    public Builder header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    /** The same, unless the message has a header of this name. */
    public Builder headerIfAbsent(String name, String value) {
      headers.putIfAbsent(name, value);
      return this;
    }

    public Builder correlationId(String value) {
      return header(Headers.CORRELATION_ID, value);
    }

    public Builder causationId(String value) {
      return header(Headers.CAUSATION_ID, value);
    }

    /** When it happened in the business; now, unless said otherwise. */
    public Builder occurredAt(Instant time) {
      this.occurredAt = time;
      return this;
    }

    /** Schedules the message: it is not delivered before this time of the database's clock. */
    public Builder notBefore(Instant time) {
      this.notBefore = time;
      return this;
    }

    public Message build() {
      Instant now = Instant.now();
      return new Message(
          id == null ? UuidV7.at(now.toEpochMilli()) : id,
          id != null,
          type,
          schemaVersion,
          key,
          payload,
          contentType,
          headers.isEmpty() ? Map.of() : Map.copyOf(headers),
          occurredAt == null ? now : occurredAt,
          notBefore);
    }
  }
}
