package io.posthorn.api.request;

import io.posthorn.core.message.Key;
import org.jspecify.annotations.Nullable;

/** A key in a request. Both parts are required. */
public record AskedKey(@Nullable String aggregateType, @Nullable String id) {
  /** The key; fails if a part is missing. */
  public Key key() {
    return Key.of(
        Requests.required("key.aggregateType", aggregateType), Requests.required("key.id", id));
  }

  /** The key; null if none was asked for. */
  public static @Nullable Key of(@Nullable AskedKey asked) {
    return asked == null ? null : asked.key();
  }

  /** The key of two parameters; null if both are missing. */
  public static @Nullable Key of(@Nullable String aggregateType, @Nullable String id) {
    return aggregateType == null && id == null ? null : new AskedKey(aggregateType, id).key();
  }
}
