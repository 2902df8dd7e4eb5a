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
 * Which messages of the log, of those that one destination has behind it. What is set must all be
 * true of a message.
 *
 * @param from stored then or later, by the database's clock
 * @param to stored before
 * @param ids these only; empty = any
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

  public static SentQuery to(String destination) {
    return new SentQuery(destination, null, null, null, null, List.of());
  }

  public SentQuery between(@Nullable Instant start, @Nullable Instant end) {
    return new SentQuery(destination, start, end, type, key, ids);
  }

  public SentQuery ofType(@Nullable String value) {
    return new SentQuery(destination, from, to, value, key, ids);
  }

  public SentQuery ofKey(@Nullable Key value) {
    return new SentQuery(destination, from, to, type, value, ids);
  }

  public SentQuery only(List<UUID> messages) {
    return new SentQuery(destination, from, to, type, key, messages);
  }

  /** As names and values, for storing and showing it; {@link #of} reads it. */
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
