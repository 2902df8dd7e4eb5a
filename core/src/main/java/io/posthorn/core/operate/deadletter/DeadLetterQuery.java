package io.posthorn.core.operate.deadletter;

import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selects dead letters. A letter must match everything that is set.
 *
 * @param reason the {@link DeadLetter#reason} or the {@link DeadLetter#lastReason}
 * @param aggregateType the aggregate type of the key
 * @param key the id of the key; of any aggregate type if {@code aggregateType} is not set
 * @param from only letters created at this time or later
 * @param to only letters created before this time
 * @param error a part of the error's text; ASCII letters match in upper and lower case
 * @param headers only messages with these headers and values
 * @param fingerprint the fingerprint of the cause
 * @param states only letters in one of these states; at least one is needed
 */
public record DeadLetterQuery(
    @Nullable String destination,
    @Nullable String type,
    @Nullable String reason,
    @Nullable String aggregateType,
    @Nullable String key,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable String error,
    Map<String, String> headers,
    @Nullable String fingerprint,
    @Nullable UUID messageId,
    Set<DeadLetter.State> states) {

  public DeadLetterQuery {
    headers = Map.copyOf(headers);
    states = Set.copyOf(states);
  }

  /** All letters that wait for a person. */
  public static DeadLetterQuery waiting() {
    return builder().build();
  }

  /** Starts a query for all letters that wait for a person. */
  public static Builder builder() {
    return new Builder();
  }

  private static final String HEADER = "header.";

  /**
   * The query as names and values, without the states, for storing and showing it. {@link #of}
   * reads it back.
   */
  public Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    put(values, "destination", destination);
    put(values, "type", type);
    put(values, "reason", reason);
    put(values, "aggregate-type", aggregateType);
    put(values, "key", key);
    put(values, "from", from);
    put(values, "to", to);
    put(values, "error", error);
    put(values, "cause", fingerprint);
    put(values, "message", messageId);
    headers.forEach((name, value) -> values.put(HEADER + name, value));
    return values;
  }

  private static void put(Map<String, String> values, String name, @Nullable Object value) {
    if (value != null) {
      values.put(name, value.toString());
    }
  }

  /** Reads a query from its {@link #values}. It selects letters that wait for a person. */
  public static DeadLetterQuery of(Map<String, String> values) {
    String from = values.get("from");
    String to = values.get("to");
    String message = values.get("message");
    Builder query =
        builder()
            .destination(values.get("destination"))
            .type(values.get("type"))
            .reason(values.get("reason"))
            .aggregateType(values.get("aggregate-type"))
            .key(values.get("key"))
            .from(from == null ? null : Instant.parse(from))
            .to(to == null ? null : Instant.parse(to))
            .error(values.get("error"))
            .fingerprint(values.get("cause"))
            .messageId(message == null ? null : UUID.fromString(message));
    values.forEach(
        (name, value) -> {
          if (name.startsWith(HEADER)) {
            query.header(name.substring(HEADER.length()), value);
          }
        });
    return query.build();
  }

  /** Builds a query. A value of null matches every letter. */
  public static final class Builder {
    private @Nullable String destination;
    private @Nullable String type;
    private @Nullable String reason;
    private @Nullable String aggregateType;
    private @Nullable String key;
    private @Nullable Instant from;
    private @Nullable Instant to;
    private @Nullable String error;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private @Nullable String fingerprint;
    private @Nullable UUID messageId;
    private Set<DeadLetter.State> states = EnumSet.of(DeadLetter.State.DEAD);

    private Builder() {}

    public Builder destination(@Nullable String value) {
      destination = value;
      return this;
    }

    public Builder type(@Nullable String value) {
      type = value;
      return this;
    }

    public Builder reason(@Nullable String value) {
      reason = value;
      return this;
    }

    public Builder aggregateType(@Nullable String value) {
      aggregateType = value;
      return this;
    }

    public Builder key(@Nullable String value) {
      key = value;
      return this;
    }

    public Builder from(@Nullable Instant value) {
      from = value;
      return this;
    }

    public Builder to(@Nullable Instant value) {
      to = value;
      return this;
    }

    public Builder error(@Nullable String part) {
      error = part;
      return this;
    }

    public Builder header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    public Builder fingerprint(@Nullable String value) {
      fingerprint = value;
      return this;
    }

    public Builder messageId(@Nullable UUID value) {
      messageId = value;
      return this;
    }

    /** Selects letters in these states instead of those that wait for a person. */
    public Builder states(Set<DeadLetter.State> values) {
      states = values;
      return this;
    }

    public DeadLetterQuery build() {
      return new DeadLetterQuery(
          destination,
          type,
          reason,
          aggregateType,
          key,
          from,
          to,
          error,
          headers,
          fingerprint,
          messageId,
          states);
    }
  }
}
