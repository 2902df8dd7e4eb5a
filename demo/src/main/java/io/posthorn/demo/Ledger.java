package io.posthorn.demo;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

/**
 * What one destination has got so far, order by order. The versions of an order have no gaps, so a
 * version that is skipped will come too late, or never.
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

  /** Different messages. */
  long delivered() {
    return delivered;
  }

  /** Different messages about one order. */
  long delivered(String order) {
    Versions versions = seen.get(order);
    return versions == null ? 0 : versions.count();
  }

  long duplicates() {
    return duplicates;
  }

  /** Came after a later one of its order, both for the first time. */
  long reordered() {
    return reordered;
  }

  /** Were never committed. */
  long phantoms() {
    return phantoms;
  }

  /** Have not come, although a later one of their order has. */
  long skipped() {
    return seen.values().stream().mapToLong(v -> v.highest() - v.count()).sum();
  }

  /** Have not come, given what was committed. */
  long missing(Map<String, Long> committed) {
    return committed.entrySet().stream()
        .mapToLong(order -> Math.max(0, order.getValue() - delivered(order.getKey())))
        .sum();
  }

  /** Have come, although their order was never changed so often. */
  long surplus(Map<String, Long> committed) {
    return seen.entrySet().stream()
        .mapToLong(
            order ->
                Math.max(
                    0, order.getValue().highest() - committed.getOrDefault(order.getKey(), 0L)))
        .sum();
  }

  /** All up to one, and those beyond the gap after it: usually none. */
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
