package io.posthorn.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long the lanes of a killed relay deliver nothing: from the kill until another
 * process has delivered a message on each of them.
 */
final class Takeovers {
  /** One kill, and the takeover of its lanes. */
  static final class Takeover {
    private final String relay;
    private final long pid;
    private final long killedAt;
    private final List<String> lanes;
    private final Set<String> waiting;
    private long doneAt;

    private Takeover(String relay, long pid, long killedAt, List<String> lanes) {
      this.relay = relay;
      this.pid = pid;
      this.killedAt = killedAt;
      this.lanes = lanes;
      this.waiting = new HashSet<>(lanes);
      this.doneAt = killedAt;
    }

    String relay() {
      return relay;
    }

    long pid() {
      return pid;
    }

    long killedAt() {
      return killedAt;
    }

    /** Returns the lanes that the killed relay held. */
    List<String> lanes() {
      return lanes;
    }

    boolean isDone() {
      return waiting.isEmpty();
    }

    Duration took() {
      return Duration.ofMillis(doneAt - killedAt);
    }
  }

  private final List<Takeover> open = new ArrayList<>();
  private @Nullable Takeover last;
  private int kills;
  private Duration longest = Duration.ZERO;

  Takeover killed(String relay, long pid, long at, List<String> lanes) {
    Takeover takeover = new Takeover(relay, pid, at, List.copyOf(lanes));
    kills++;
    last = takeover;
    if (!takeover.isDone()) {
      open.add(takeover);
    }
    return takeover;
  }

  /** Notes a delivery, and returns the takeovers that it completes. */
  List<Takeover> seen(Sighting sighting) {
    List<Takeover> done = new ArrayList<>();
    for (Takeover takeover : open) {
      if (takeover.pid != sighting.pid()
          && takeover.killedAt <= sighting.at()
          && takeover.waiting.remove(sighting.destination())) {
        takeover.doneAt = Math.max(takeover.doneAt, sighting.at());
        if (takeover.isDone()) {
          done.add(takeover);
          longest = longest.compareTo(takeover.took()) < 0 ? takeover.took() : longest;
        }
      }
    }
    open.removeAll(done);
    return done;
  }

  int kills() {
    return kills;
  }

  @Nullable Takeover last() {
    return last;
  }

  Duration longest() {
    return longest;
  }
}
