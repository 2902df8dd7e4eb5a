package io.posthorn.demo;

import io.posthorn.testservers.Waiting;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;

/** The two relays. */
final class Relays implements AutoCloseable {
  private static final Duration READY_WITHIN = Duration.ofSeconds(60);

  private final List<RelayProcess> relays;

  Relays(RelayProcess.Place place) {
    this.relays = List.of(new RelayProcess("relay-1", place), new RelayProcess("relay-2", place));
  }

  /** Returns when all serve. */
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

  /** Lets all leave in good order, at the same time. */
  @Override
  public void close() {
    relays.forEach(RelayProcess::stop);
    relays.forEach(RelayProcess::close);
  }
}
