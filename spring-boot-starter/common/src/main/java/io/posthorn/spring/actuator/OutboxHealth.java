package io.posthorn.spring.actuator;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.status.StatusStore;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Pause;
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
 * Checks whether messages reach their destinations. Degraded is not down: the application works and
 * loses nothing, so a load balancer should not remove it.
 */
public final class OutboxHealth {
  /** The status that Actuator shows in addition to UP and DOWN. */
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
   * The problems of each destination, in words.
   *
   * @param problems by destination; empty means that there are no problems
   * @param paused what people have paused, by destination. It is no problem, but must not be
   *     forgotten
   * @param unknown why the health cannot be determined; null if it can
   */
  public record Report(
      Map<String, List<String>> problems,
      Map<String, List<String>> paused,
      int relays,
      @Nullable String unknown) {
    /** The status code for Actuator. */
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
      Map<String, Object> details = new LinkedHashMap<>();
      details.put("relays", relays);
      if (!problems.isEmpty()) {
        details.put("problems", problems);
      }
      if (!paused.isEmpty()) {
        details.put("paused", paused);
      }
      return details;
    }
  }

  /** Reads the health. Throws if the database cannot be queried. */
  public Report report() {
    try {
      return report(store.status());
    } catch (PosthornException e) {
      // An application that only writes needs no right to read the status, and is healthy without
      // it.
      if (e.code() == ErrorCode.MISSING_RIGHTS) {
        return new Report(Map.of(), Map.of(), 0, e.getMessage());
      }
      throw e;
    }
  }

  private Report report(Status status) {
    Instant before = clock.instant().minus(oldest);
    Map<String, List<String>> problems = new LinkedHashMap<>();
    Map<String, List<String>> paused = new LinkedHashMap<>();
    for (Status.Backlog backlog : status.destinations()) {
      List<String> found = problemsOf(backlog, before);
      if (!found.isEmpty()) {
        problems.put(backlog.status().name(), found);
      }
      List<String> pauses = pausesOf(backlog.status());
      if (!pauses.isEmpty()) {
        paused.put(backlog.status().name(), pauses);
      }
    }
    return new Report(problems, paused, status.relays().size(), null);
  }

  private static List<String> pausesOf(DestinationStatus destination) {
    List<String> pauses = new ArrayList<>();
    Pause pause = destination.pause();
    if (pause != null) {
      // Not by whom and why: the health may be public.
      pauses.add("paused since " + pause.at());
    }
    destination.pausedTypes().forEach(type -> pauses.add("type '%s' is paused".formatted(type)));
    if (destination.pausedKeys() > 0) {
      pauses.add("%,d keys are paused".formatted(destination.pausedKeys()));
    }
    return pauses;
  }

  private List<String> problemsOf(Status.Backlog backlog, Instant before) {
    DestinationStatus destination = backlog.status();
    List<String> problems = new ArrayList<>();
    // The person who paused it knows that messages wait.
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
