package io.posthorn.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps the number of series bounded: only so many different values of a label become one, those
 * after them are {@code other}.
 */
final class Labels {
  static final String OTHER = "other";

  private static final int MOST_DESTINATIONS = 200;
  private static final int MOST_REASONS = 50;

  private final Capped destinations = new Capped(MOST_DESTINATIONS);
  private final Capped reasons = new Capped(MOST_REASONS);
  private final Capped types;

  Labels(int mostTypes) {
    this.types = new Capped(mostTypes);
  }

  String destination(String name) {
    return destinations.of(name);
  }

  String type(String name) {
    return types.of(name);
  }

  String reason(String code) {
    return reasons.of(code);
  }

  private static final class Capped {
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final int most;

    Capped(int most) {
      this.most = most;
    }

    String of(String value) {
      return known.contains(value) || add(value) ? value : OTHER;
    }

    private synchronized boolean add(String value) {
      return known.contains(value) || (known.size() < most && known.add(value));
    }
  }
}
