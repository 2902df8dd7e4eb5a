package io.posthorn.demo;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** Adds up the deliveries. */
final class Tally {
  private static final int LATENCIES = 999;
  private static final int MOMENTS = 400;
  private static final long MOMENT = 250_000_000;

  private final Map<String, Ledger> ledgers = new LinkedHashMap<>();
  private final Takeovers takeovers = new Takeovers();
  private final Deque<Long> latencies = new ArrayDeque<>();
  private final Deque<Long> throughput = new ArrayDeque<>();
  private long momentBegan = System.nanoTime();
  private long inMoment;

  Tally() {
    Shop.DESTINATIONS.forEach(name -> ledgers.put(name, new Ledger()));
  }

  /** Notes deliveries, and returns the takeovers that they complete. */
  List<Takeovers.Takeover> note(List<Sighting> sightings) {
    List<Takeovers.Takeover> done = new ArrayList<>();
    for (Sighting sighting : sightings) {
      ledger(sighting.destination()).note(sighting.change());
      done.addAll(takeovers.seen(sighting));
      keep(latencies, sighting.latency(), LATENCIES);
    }
    inMoment += sightings.size();
    long now = System.nanoTime();
    if (now - momentBegan >= MOMENT) {
      keep(throughput, inMoment * 1_000_000_000 / (now - momentBegan), MOMENTS);
      momentBegan = now;
      inMoment = 0;
    }
    return done;
  }

  private static void keep(Deque<Long> values, long value, int most) {
    values.addLast(value);
    if (values.size() > most) {
      values.removeFirst();
    }
  }

  private Ledger ledger(String destination) {
    Ledger ledger = ledgers.get(destination);
    if (ledger == null) {
      throw new IllegalStateException("unexpected destination '" + destination + "'");
    }
    return ledger;
  }

  Takeovers takeovers() {
    return takeovers;
  }

  /** Returns the number of different messages by destination. */
  Map<String, Long> delivered() {
    Map<String, Long> delivered = new LinkedHashMap<>();
    ledgers.forEach((name, ledger) -> delivered.put(name, ledger.delivered()));
    return delivered;
  }

  /** Returns the number of messages that reached every destination. */
  long complete(int orders) {
    long complete = 0;
    for (int number = 1; number <= orders; number++) {
      String order = Shop.order(number);
      complete += ledgers.values().stream().mapToLong(l -> l.delivered(order)).min().orElse(0);
    }
    return complete;
  }

  /** Returns the sum of a figure over all destinations. */
  long sum(ToLongFunction<Ledger> figure) {
    return ledgers.values().stream().mapToLong(figure).sum();
  }

  /** Returns the median latency of the newest messages, in milliseconds. */
  long latency() {
    List<Long> sorted = latencies.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
  }

  /** Returns the deliveries per second, newest last. */
  List<Long> throughput() {
    return List.copyOf(throughput);
  }
}
