package io.posthorn.cli.steering;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Pause;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The state of a destination, in a few words. */
public final class StateText {
  /** The state of a destination to which everything is sent. */
  public static final String RUNNING = "running";

  private StateText() {}

  public static String of(DestinationStatus status) {
    return of(status, null);
  }

  /** Adds the problem that its relay found in its last check, if that problem prevents sending. */
  static String of(DestinationStatus status, @Nullable DestinationCheck check) {
    // The operation comes first, because a table cell cuts off long text.
    return status.rewoundBy() == null
        ? doing(status, check)
        : "being rewound by " + status.rewoundBy() + "; " + doing(status, check);
  }

  /** Formats a number that is counted only up to a limit. */
  public static String counted(long number, int most) {
    return (number < most ? "%,d" : "%,d+").formatted(number);
  }

  private static String doing(DestinationStatus status, @Nullable DestinationCheck check) {
    String problem =
        check == null || check.problems().isEmpty() ? null : check.problems().get(0).toString();
    Pause pause = status.pause();
    if (pause != null) {
      String what = pause.scope().destination() == null ? "paused with all destinations" : "paused";
      return what + " by " + pause.who() + ": " + pause.why();
    }
    return working(status, problem) + partlyPaused(status);
  }

  private static String working(DestinationStatus status, @Nullable String problem) {
    if (status.breaker() != null) {
      return "does not answer: " + (problem == null ? status.breaker() : problem);
    }
    if (status.relay() == null) {
      return "not served";
    }
    return problem == null ? RUNNING : "cannot send: " + problem;
  }

  private static String partlyPaused(DestinationStatus status) {
    String paused = paused(status);
    return paused.isEmpty() ? "" : ", partly paused: " + paused;
  }

  /** The paused types and the number of paused keys of a destination; may be empty. */
  static String paused(DestinationStatus status) {
    List<String> parts = new ArrayList<>(status.pausedTypes());
    if (status.pausedKeys() > 0) {
      parts.add(Count.exactly(status.pausedKeys()).of("key"));
    }
    return String.join(", ", parts);
  }
}
