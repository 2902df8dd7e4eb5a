package io.posthorn.console.deadletter;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One place of a ranking.
 *
 * @param share of the first, in percent
 */
public record Rank(String name, long number, double share, @Nullable String href) {
  private static final int PLACES = 6;

  static List<Rank> of(Map<String, Long> numbers, Function<String, String> href) {
    long most = Math.max(1, numbers.values().stream().mapToLong(Long::longValue).max().orElse(1));
    return numbers.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
        .limit(PLACES)
        .map(
            one ->
                new Rank(
                    one.getKey(),
                    one.getValue(),
                    Math.max(1, Math.round(100.0 * one.getValue() / most)),
                    href.apply(one.getKey())))
        .toList();
  }
}
