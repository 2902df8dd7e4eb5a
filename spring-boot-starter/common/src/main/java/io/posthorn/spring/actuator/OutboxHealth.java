package io.posthorn.spring.actuator;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.status.StatusStore;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.store.RelayStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether messages get to where they are to go. Degraded is not down: the application does its work
 * and loses nothing, so no load balancer should take it away for this.
 */
public final class OutboxHealth {
  /** The status that Actuator shows beside UP and DOWN. */
  public static final String DEGRADED = "DEGRADED";

  private final StatusStore store;
  private final Duration oldest;
  private final Clock clock;

  public OutboxHealth(StatusStore store, Duration oldest, Clock clock) {
    this.store = store;
    this.oldest = oldest;
    this.clock = clock;
  }

  /**
   * What is wrong with each destination, in words.
   *
   * @param problems by destination; empty = all is well
   * @param unknown why nobody can tell from here; null = it is told
   */
  public record Report(Map<String, List<String>> problems, int relays, @Nullable String unknown) {
    /** As Actuator shows it. */
    public String status() {
      if (unknown != null) {
        return "UNKNOWN";
      }
      return problems.isEmpty() ? "UP" : DEGRADED;
    }

    public Map<String, Object> details() {
      if (unknown != null) {
        return Map.of("why", unknown);
      }
      return problems.isEmpty()
          ? Map.of("relays", relays)
          : Map.of("relays", relays, "problems", problems);
    }
  }

  /** Throws if the database cannot be asked. */
  public Report report() {
    try {
      return report(store.status());
    } catch (PosthornException e) {
      // An application that only writes need not be able to look, and is not worse for it.
      if (e.code() == ErrorCode.MISSING_RIGHTS) {
        return new Report(Map.of(), 0, e.getMessage());
      }
      throw e;
    }
  }

  private Report report(Status status) {
    Instant before = clock.instant().minus(oldest);
    Map<String, List<String>> problems = new LinkedHashMap<>();
    for (Status.Backlog backlog : status.destinations()) {
      List<String> found = problemsOf(backlog, before);
      if (!found.isEmpty()) {
        problems.put(backlog.status().name(), found);
      }
    }
    return new Report(problems, status.relays().size(), null);
  }

  private List<String> problemsOf(Status.Backlog backlog, Instant before) {
    DestinationStatus destination = backlog.status();
    List<String> problems = new ArrayList<>();
    // Whoever paused it knows that messages wait.
    if (backlog.oldestPending() != null
        && backlog.oldestPending().isBefore(before)
        && destination.pause() == null) {
      problems.add(
          "the oldest message has waited since %s, longer than %s"
              .formatted(backlog.oldestPending(), oldest));
    }
    if (destination.breaker() != null) {
      problems.add("it does not answer: " + destination.breaker());
    }
    if (destination.relay() == null && !destination.name().equals(RelayStore.UNROUTED)) {
      problems.add("no relay serves it");
    }
    return problems;
  }
}
