package io.posthorn.core.operate.story;

import io.posthorn.core.message.Key;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Selects messages of the log, and their order. A message must match everything that is set.
 *
 * @param aggregateType the aggregate type of the key
 * @param key the id of the key; of any aggregate type if {@code aggregateType} is not set
 * @param from only messages recorded at this time or later, by the database's clock
 * @param to only messages recorded before this time
 * @param newestFirst whether to reverse the order of the log
 */
public record MessageQuery(
    @Nullable String aggregateType,
    @Nullable String key,
    @Nullable String correlationId,
    @Nullable String type,
    @Nullable Instant from,
    @Nullable Instant to,
    boolean newestFirst) {

  /** Starts a query for all messages, newest first. */
  public static Builder builder() {
    return new Builder();
  }

  /** A query for all messages of a key, newest first. */
  public static MessageQuery of(Key key) {
    return builder().aggregateType(key.aggregateType()).key(key.id()).build();
  }

  /** Builds a query. A value of null matches every message. */
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

    /** Lists the messages in the order of the log. */
    public Builder oldestFirst() {
      newestFirst = false;
      return this;
    }

    public MessageQuery build() {
      return new MessageQuery(aggregateType, key, correlationId, type, from, to, newestFirst);
    }
  }
}
