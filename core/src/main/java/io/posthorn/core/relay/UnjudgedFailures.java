package io.posthorn.core.relay;

import java.util.ArrayList;
import java.util.List;

/** The messages that failed and wait in memory until it is known who is at fault. */
final class UnjudgedFailures {
  private final List<TrackedDelivery> held = new ArrayList<>();

  /** Holds one that has failed just now. Those held at the same time have failed together. */
  void hold(TrackedDelivery tracked, long now) {
    if (!held.isEmpty()) {
      tracked.together = true;
      // All between were held together with one before them.
      held.get(held.size() - 1).together = true;
    }
    tracked.state = TrackedDelivery.State.SUSPECT;
    tracked.suspect(now);
    held.add(tracked);
  }

  /** Lets go those that had failed by then. */
  List<TrackedDelivery> releaseFailedBefore(long time) {
    List<TrackedDelivery> failed =
        held.stream().filter(tracked -> time - tracked.suspectedAt >= 0).toList();
    if (!failed.isEmpty()) {
      held.removeAll(failed);
    }
    return failed;
  }

  /** Lets go all. */
  List<TrackedDelivery> releaseAll() {
    List<TrackedDelivery> all = List.copyOf(held);
    held.clear();
    return all;
  }

  int size() {
    return held.size();
  }

  void forget() {
    held.clear();
  }
}
