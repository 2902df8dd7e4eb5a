package io.posthorn.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Limits the number of series. Each label keeps its first values up to a limit; all later ones
 * become {@code other}.
 */
final class Labels {
  static final String OTHER = "other";

  private static final int MAX_DESTINATIONS = 200;
  private static final int MAX_REASONS = 50;

  private final Capped destinations = new Capped(MAX_DESTINATIONS);
  private final Capped reasons = new Capped(MAX_REASONS);
  private final Capped types;

  Labels(int maxTypes) {
    this.types = new Capped(maxTypes);
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
    private final int max;

    Capped(int max) {
      this.max = max;
    }

    String of(String value) {
      return known.contains(value) || add(value) ? value : OTHER;
    }

    private synchronized boolean add(String value) {
      return known.contains(value) || (known.size() < max && known.add(value));
    }
  }
}
