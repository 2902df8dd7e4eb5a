package io.posthorn.cli.steering;

import io.posthorn.core.steering.DestinationStatus;
import io.posthorn.core.steering.Pause;

/** What a destination does, in a few words. */
public final class StateText {
  private StateText() {}

  public static String of(DestinationStatus status) {
    // The operation first: a cell of a table has not room for all.
    return status.rewoundBy() == null
        ? doing(status)
        : "being rewound by " + status.rewoundBy() + "; " + doing(status);
  }

  /** A number that is counted only so far. */
  public static String counted(long number, int most) {
    return (number < most ? "%,d" : "%,d+").formatted(number);
  }

  private static String doing(DestinationStatus status) {
    Pause pause = status.pause();
    if (pause != null) {
      String what = pause.scope().destination() == null ? "paused with all" : "paused";
      return what + " by " + pause.who() + ": " + pause.why();
    }
    if (status.breaker() != null) {
      return "does not answer: " + status.breaker();
    }
    if (status.relay() == null) {
      return "not served";
    }
    return status.pausedTypes().isEmpty() && status.pausedKeys() == 0
        ? "running"
        : "running, but for what is paused";
  }
}
