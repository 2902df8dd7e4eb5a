package io.posthorn.core.message;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What an application wants delivered: a type, a payload, and what receivers need to know about
 * them. Messages are immutable. The bytes of the payload are not copied, so do not change them
 * afterwards.
 *
 * @param id unique for ever; a UUIDv7 unless the caller chose one
 * @param idGiven whether the caller chose the id; the outbox then refuses a second message with it
 * @param type a stable logical name, never a class name
 * @param schemaVersion the version of the payload's schema, from 1
 * @param key messages of one key keep their order; null means no order
 * @param payload the content, in the format that {@code contentType} names
 * @param headers text values by name; {@link Headers} lists the names that Posthorn knows
 * @param occurredAt when the event happened in the business
 * @param notBefore the earliest time of delivery; null means at once
 * @param sequence the message's place in the log, which grows within a key; 0 until a relay
 *     delivers the message
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

  /** The default content type. */
  public static final String JSON = "application/json";

  /** A message that no relay has delivered yet: its sequence is 0. */
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

  /**
   * Starts a message of this type. An outbox accepts only types that are registered; see {@link
   * MessageTypes}.
   */
  public static Builder of(String type) {
    return new Builder(type);
  }

  /**
   * Returns this message with another payload, for example an encrypted or a corrected one. The id
   * stays the same, so do not add both: receivers would accept only one of them. To send another
   * message, start it with {@link #of}.
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

  /** Returns this message with another version of its payload's schema. The id stays the same. */
  public Message withSchemaVersion(int version) {
    return new Message(
        id,
        idGiven,
        type,
        version,
        key,
        payload,
        contentType,
        headers,
        occurredAt,
        notBefore,
        sequence);
  }

  /** Returns this message with these headers in place of its own. The id stays the same. */
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

  /**
   * Returns this message in another trace context.
   *
   * @param context the headers {@code traceparent} and {@code tracestate}; if empty, the message is
   *     returned unchanged
   */
  public Message withTrace(Map<String, String> context) {
    if (context.isEmpty()) {
      return this;
    }
    Map<String, String> others = new HashMap<>(headers);
    others.remove(Headers.TRACESTATE);
    others.putAll(context);
    return withHeaders(Map.copyOf(others));
  }

  /** Returns this message with another place in the log. */
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

  /** The size of the message in memory: bytes of the payload plus characters of the headers. */
  public long bytes() {
    long bytes = payload.length;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      bytes += header.getKey().length() + header.getValue().length();
    }
    return bytes;
  }

  /**
   * Names the message by type, id and key. Payload and headers are left out, so logs stay clean.
   */
  @Override
  public String toString() {
    return type + " " + id + (key == null ? "" : " of " + key);
  }

  /** Compares by id alone, because ids are unique. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Message that && id.equals(that.id);
  }

  @Override
  public int hashCode() {
    return id.hashCode();
  }

  /** Builds a message. Only the type is required. */
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
     * Sets an id of your own. The outbox refuses a second message with the same id for twice the
     * retention, which is 14 days by default.
     */
    public Builder id(UUID given) {
      this.id = given;
      return this;
    }

    /** The version of the payload's schema; default: 1. */
    public Builder schemaVersion(int version) {
      this.schemaVersion = version;
      return this;
    }

    /** Orders the message: it is delivered after every earlier message of the same aggregate. */
    public Builder key(String aggregateType, String aggregateId) {
      this.key = new Key(aggregateType, aggregateId);
      return this;
    }

    /** The content, and its media type, for example {@code text/plain}. */
    public Builder payload(byte[] bytes, String bytesContentType) {
      this.payload = bytes;
      this.contentType = bytesContentType;
      return this;
    }

    /** A JSON payload, already encoded as UTF-8. */
    public Builder json(byte[] utf8) {
      return payload(utf8, JSON);
    }

    /** Sets a header, and replaces any earlier value of it. */
    public Builder header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    /** Sets a header unless the message already has one of this name. */
    public Builder headerIfAbsent(String name, String value) {
      headers.putIfAbsent(name, value);
      return this;
    }

    /** Sets the id that this message shares with everything that follows from it. */
    public Builder correlationId(String value) {
      return header(Headers.CORRELATION_ID, value);
    }

    /** Sets the id of the message that directly caused this one. */
    public Builder causationId(String value) {
      return header(Headers.CAUSATION_ID, value);
    }

    /** When the event happened in the business; default: now. */
    public Builder occurredAt(Instant time) {
      this.occurredAt = time;
      return this;
    }

    /** Schedules the message: it is not delivered before the database's clock shows this time. */
    public Builder notBefore(Instant time) {
      this.notBefore = time;
      return this;
    }

    /** Builds the message. Limits are checked when it is added to an outbox. */
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
