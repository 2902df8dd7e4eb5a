package io.posthorn.core.operate.story;

import io.posthorn.core.message.Key;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which messages of the log, and in which order. What is set must all be true of a message.
 *
 * @param key the id of the key, of whatever aggregate type if {@code aggregateType} is not set
 * @param from recorded then or later, by the database's clock
 * @param to recorded before
 * @param newestFirst against the order of the log
 */
public record MessageQuery(
    @Nullable String aggregateType,
    @Nullable String key,
    @Nullable String correlationId,
    @Nullable String type,
    @Nullable Instant from,
    @Nullable Instant to,
    boolean newestFirst) {

  /** Starts with all, the newest first. */
  public static Builder builder() {
    return new Builder();
  }

  /** All of a key, the newest first. */
  public static MessageQuery of(Key key) {
    return builder().aggregateType(key.aggregateType()).key(key.id()).build();
  }

  /** Makes queries. */
  public static final class Builder {
    private @Nullable String aggregateType;
    private @Nullable String key;
    private @Nullable String correlationId;
    private @Nullable String type;
    private @Nullable Instant from;
    private @Nullable Instant to;
    private boolean newestFirst = true;

    private Builder() {}

    public Builder aggregateType(@Nullable String value) {
      aggregateType = value;
      return this;
    }

    public Builder key(@Nullable String value) {
      key = value;
      return this;
    }

    public Builder correlationId(@Nullable String value) {
      correlationId = value;
      return this;
    }

    public Builder type(@Nullable String value) {
      type = value;
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

    public Builder oldestFirst() {
      newestFirst = false;
      return this;
    }

    public MessageQuery build() {
      return new MessageQuery(aggregateType, key, correlationId, type, from, to, newestFirst);
    }
  }
}
