package io.posthorn.testkit;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The numbers seen of one key: each once, in the order in which they came first. */
final class SeenNumbers {
  static final SeenNumbers NOTHING = new SeenNumbers();

  private final Set<Long> known = new HashSet<>();
  private final List<Long> firsts = new ArrayList<>();
  private long duplicates;

  synchronized void add(long n) {
    if (known.add(n)) {
      firsts.add(n);
    } else {
      duplicates++;
    }
  }

  synchronized List<Long> firsts() {
    return List.copyOf(firsts);
  }

  synchronized boolean contains(long n) {
    return known.contains(n);
  }

  synchronized long distinct() {
    return firsts.size();
  }

  synchronized long duplicates() {
    return duplicates;
  }
}
