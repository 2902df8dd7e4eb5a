package io.posthorn.console.overview;

import io.posthorn.console.live.Sample;
import io.posthorn.console.page.Badge;
import io.posthorn.console.text.Words;
import io.posthorn.core.operate.status.Status.Backlog;
import io.posthorn.core.operate.steering.DestinationCheck;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Pause;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The state of a destination, in a badge and in words. */
public final class DestinationStates {
  private DestinationStates() {}

  /** The state that matters most. */
  public static Badge badge(Backlog backlog, Sample sample) {
    DestinationStatus status = backlog.status();
    Pause pause = status.pause();
    if (pause != null) {
      return new Badge("waiting", "paused", "paused by " + Words.text(pause.who(), 24));
    }
    if (status.breaker() != null) {
      return new Badge("trouble", "trouble", "does not answer");
    }
    if (status.relay() == null) {
      boolean waits = backlog.pending() + status.parked() > 0;
      return new Badge(waits ? "trouble" : "", waits ? "trouble" : "note", "not served");
    }
    if (status.rewoundBy() != null) {
      return new Badge("waiting", "retry", "being rewound");
    }
    if (sample.problemOf(status.name()).isPresent()) {
      return new Badge("trouble", "trouble", "cannot send");
    }
    if (!status.pausedTypes().isEmpty() || status.pausedKeys() > 0) {
      return new Badge("waiting", "paused", "partly paused");
    }
    return new Badge("good", "good", "running");
  }

  /** Why it is in this state; null if that goes without saying. */
  public static @Nullable String why(Backlog backlog, Sample sample) {
    DestinationStatus status = backlog.status();
    List<String> parts = new ArrayList<>();
    Pause pause = status.pause();
    if (pause != null) {
      parts.add(
          "%s, %s%s"
              .formatted(
                  quoted(pause.why()),
                  Words.ago(pause.at()),
                  pause.scope().destination() == null ? ", with all destinations" : ""));
    }
    if (status.breaker() != null) {
      parts.add(problem(status, sample).orElse(status.breaker()));
    } else if (pause == null) {
      problem(status, sample).ifPresent(parts::add);
    }
    if (!status.pausedTypes().isEmpty()) {
      parts.add("paused types: " + String.join(", ", status.pausedTypes()));
    }
    if (status.pausedKeys() > 0) {
      parts.add(Words.of(status.pausedKeys(), "key") + " paused");
    }
    if (status.heldKeys() > 0) {
      parts.add(
          Words.of(
              status.heldKeys(),
              "key waits behind a dead letter",
              "keys wait behind a dead letter"));
    }
    if (status.ratePerSecond() != null) {
      parts.add("limited to %s/s by a person".formatted(rate(status.ratePerSecond())));
    }
    return parts.isEmpty() ? null : String.join("; ", parts);
  }

  private static Optional<String> problem(DestinationStatus status, Sample sample) {
    return sample.problemOf(status.name()).map(DestinationStates::text);
  }

  private static String text(DestinationCheck check) {
    return check.problems().get(0).toString();
  }

  private static String quoted(String why) {
    return "“" + Words.text(why, 120) + "”";
  }

  /** A rate without needless digits. */
  public static String rate(double perSecond) {
    return perSecond == Math.rint(perSecond) ? Words.number((long) perSecond) : "" + perSecond;
  }
}
