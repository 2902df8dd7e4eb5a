package io.posthorn.demo;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * The messages that one destination has got so far, by order. The versions of an order have no
 * gaps, so a skipped version arrives too late or never.
 */
final class Ledger {
  private final Map<String, Versions> seen = new HashMap<>();
  private long delivered;
  private long duplicates;
  private long reordered;
  private long phantoms;

  void note(OrderChanged change) {
    if (change.doomed()) {
      phantoms++;
      return;
    }
    Versions versions = seen.computeIfAbsent(change.order(), order -> new Versions());
    if (versions.contains(change.version())) {
      duplicates++;
      return;
    }
    delivered++;
    if (change.version() < versions.highest()) {
      reordered++;
    }
    versions.add(change.version());
  }

  /** Returns the number of different messages. */
  long delivered() {
    return delivered;
  }

  /** Returns the number of different messages about one order. */
  long delivered(String order) {
    Versions versions = seen.get(order);
    return versions == null ? 0 : versions.count();
  }

  long duplicates() {
    return duplicates;
  }

  /** Returns how many messages first arrived after a later message of their order. */
  long reordered() {
    return reordered;
  }

  /** Returns how many messages arrived although their transaction was rolled back. */
  long phantoms() {
    return phantoms;
  }

  /** Returns how many messages have not arrived, although a later one of their order has. */
  long skipped() {
    return seen.values().stream().mapToLong(v -> v.highest() - v.count()).sum();
  }

  /** Returns how many committed messages have not arrived. */
  long missing(Map<String, Long> committed) {
    return committed.entrySet().stream()
        .mapToLong(order -> Math.max(0, order.getValue() - delivered(order.getKey())))
        .sum();
  }

  /** Returns how many versions arrived beyond the last committed version of their order. */
  long surplus(Map<String, Long> committed) {
    return seen.entrySet().stream()
        .mapToLong(
            order ->
                Math.max(
                    0, order.getValue().highest() - committed.getOrDefault(order.getKey(), 0L)))
        .sum();
  }

  /** The versions of one order: all up to {@code last}, and those after a gap, usually none. */
  private static final class Versions {
    private final TreeSet<Long> beyond = new TreeSet<>();
    private long last;

    boolean contains(long version) {
      return version <= last || beyond.contains(version);
    }

    void add(long version) {
      beyond.add(version);
      while (beyond.remove(last + 1)) {
        last++;
      }
    }

    long highest() {
      return beyond.isEmpty() ? last : beyond.last();
    }

    long count() {
      return last + beyond.size();
    }
  }
}
