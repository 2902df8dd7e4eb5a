package io.posthorn.core.operate.operation;

import io.posthorn.core.message.Key;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Selects messages of the log that were sent to one destination. A message must match everything
 * that is set.
 *
 * @param from only messages stored at this time or later, by the database's clock
 * @param to only messages stored before this time
 * @param ids only these messages; empty means any
 */
public record SentQuery(
    String destination,
    @Nullable Instant from,
    @Nullable Instant to,
    @Nullable String type,
    @Nullable Key key,
    List<UUID> ids) {

  public SentQuery {
    ids = List.copyOf(ids);
  }

  /** All messages that were sent to this destination. */
  public static SentQuery to(String destination) {
    return new SentQuery(destination, null, null, null, null, List.of());
  }

  /** Only messages stored from the first time on and before the second; null for no limit. */
  public SentQuery between(@Nullable Instant start, @Nullable Instant end) {
    return new SentQuery(destination, start, end, type, key, ids);
  }

  /** Only messages of this type; null for any. */
  public SentQuery ofType(@Nullable String value) {
    return new SentQuery(destination, from, to, value, key, ids);
  }

  /** Only messages of this key; null for any. */
  public SentQuery ofKey(@Nullable Key value) {
    return new SentQuery(destination, from, to, type, value, ids);
  }

  /** Only these messages; empty for any. */
  public SentQuery only(List<UUID> messages) {
    return new SentQuery(destination, from, to, type, key, messages);
  }

  /** The query as names and values, for storing and showing it. {@link #of} reads it back. */
  public Map<String, String> values() {
    Map<String, String> values = new LinkedHashMap<>();
    values.put("destination", destination);
    if (from != null) {
      values.put("from", from.toString());
    }
    if (to != null) {
      values.put("to", to.toString());
    }
    if (type != null) {
      values.put("type", type);
    }
    if (key != null) {
      values.put("aggregate-type", key.aggregateType());
      values.put("key", key.id());
    }
    if (!ids.isEmpty()) {
      values.put("ids", String.join(",", ids.stream().map(UUID::toString).toList()));
    }
    return values;
  }

  /** Reads a query from its {@link #values}. */
  public static SentQuery of(Map<String, String> values) {
    String from = values.get("from");
    String to = values.get("to");
    String key = values.get("key");
    String ids = values.get("ids");
    return new SentQuery(
        values.getOrDefault("destination", ""),
        from == null ? null : Instant.parse(from),
        to == null ? null : Instant.parse(to),
        values.get("type"),
        key == null ? null : new Key(values.getOrDefault("aggregate-type", ""), key),
        ids == null ? List.of() : Arrays.stream(ids.split(",")).map(UUID::fromString).toList());
  }
}
