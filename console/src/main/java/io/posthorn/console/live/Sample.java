package io.posthorn.console.live;

import io.posthorn.console.text.Words;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * How everything stood at one moment.
 *
 * @param at when it was read
 */
public record Sample(Instant at, Status status, List<DestinationCheck> checks) {
  /** The name of the built-in destination for messages that no route wants. */
  public static final String UNROUTED = "unrouted";

  /** The dead letters that wait, counted for each destination up to a limit. */
  public long dead() {
    return status.destinations().stream().mapToLong(one -> one.status().dead()).sum();
  }

  /** The same for people. */
  public String deadText() {
    boolean more =
        status.destinations().stream()
            .anyMatch(one -> one.status().dead() >= DestinationStatus.MOST_COUNTED);
    return Words.number(dead()) + (more ? "+" : "");
  }

  /** The newest check of a destination that found a problem; empty if there is none. */
  public Optional<DestinationCheck> problemOf(String destination) {
    return checks.stream()
        .filter(one -> one.destination().equals(destination) && !one.problems().isEmpty())
        .reduce((one, other) -> one.at().isAfter(other.at()) ? one : other);
  }

  /** The destination with this name; empty if there is none. */
  public Optional<Status.Backlog> destination(String name) {
    return status.destinations().stream()
        .filter(one -> one.status().name().equals(name))
        .findFirst();
  }
}
