package io.posthorn.demo;

import io.posthorn.testservers.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/** The two relay processes. */
final class Relays implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  private final List<RelayProcess> relays;

  Relays(RelayProcess.Place place) {
    this.relays = List.of(new RelayProcess("relay-1", place), new RelayProcess("relay-2", place));
  }

  /** Starts all relays, and returns when they serve. */
  void start() {
    relays.forEach(RelayProcess::start);
    Waiting.until(
        "the relays to start",
        READY_WITHIN,
        () -> {
          relays.forEach(RelayProcess::tend);
          return allServe();
        });
  }

  List<RelayProcess> all() {
    return relays;
  }

  boolean allServe() {
    return relays.stream().allMatch(relay -> relay.state() == RelayProcess.State.SERVING);
  }

  Optional<RelayProcess> any(Predicate<RelayProcess> which) {
    List<RelayProcess> found = relays.stream().filter(which).toList();
    return found.isEmpty()
        ? Optional.empty()
        : Optional.of(found.get(ThreadLocalRandom.current().nextInt(found.size())));
  }

  /** Stops all relays in an orderly way, in parallel. */
  @Override
  public void close() {
    relays.forEach(RelayProcess::stop);
    relays.forEach(RelayProcess::close);
  }
}
