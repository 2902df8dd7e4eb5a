package io.posthorn.api.request;

import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list.
 *
 * @param next pass it as {@code after} to get the next page; null if this is the last one
 */
public record Page<T>(List<T> items, @Nullable String next) {
  private static final int LARGEST = 500;

  /** All of a list that has no further pages. */
  public static <T> Page<T> all(List<T> items) {
    return new Page<>(items, null);
  }

  /** A page that was asked for with this limit; it is the last one if it is not full. */
  public static <T> Page<T> of(List<T> items, int limit, Function<T, ?> place) {
    boolean full = items.size() == limit && !items.isEmpty();
    return new Page<>(items, full ? String.valueOf(place.apply(items.get(limit - 1))) : null);
  }

  /** The page with its items in another form. */
  public <R> Page<R> map(Function<T, R> form) {
    return new Page<>(items.stream().map(form).toList(), next);
  }

  /** Checks the size of a page. */
  public static int limit(int asked) {
    if (asked < 1 || asked > LARGEST) {
      throw Requests.wrong(
          "nothing was listed: limit is %,d. Choose 1 to %,d.".formatted(asked, LARGEST));
    }
    return asked;
  }
}
