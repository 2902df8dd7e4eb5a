package io.posthorn.cli.steering;

import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Pause;
import org.jspecify.annotations.Nullable;

/** The state of a destination, in a few words. */
public final class StateText {
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
    if (status.breaker() != null) {
      return "does not answer: " + (problem == null ? status.breaker() : problem);
    }
    if (status.relay() == null) {
      return "not served";
    }
    if (problem != null) {
      return "cannot send: " + problem;
    }
    return status.pausedTypes().isEmpty() && status.pausedKeys() == 0
        ? "running"
        : "running, partly paused";
  }
}
