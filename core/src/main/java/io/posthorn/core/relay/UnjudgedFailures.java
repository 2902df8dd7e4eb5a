package io.posthorn.core.relay;

import java.util.ArrayList;
import java.util.List;

/** Messages that failed and wait in memory until it is known whether they are at fault. */
final class UnjudgedFailures {
  private final List<TrackedDelivery> held = new ArrayList<>();

  /** Holds a message that has just failed. Messages held at the same time have failed together. */
  void hold(TrackedDelivery tracked, long now) {
    if (!held.isEmpty()) {
      tracked.together = true;
      // The messages between them were marked when they were held.
      held.get(held.size() - 1).together = true;
    }
    tracked.state = TrackedDelivery.State.SUSPECT;
    tracked.suspect(now);
    held.add(tracked);
  }

  /** Removes and returns the messages that had failed by this time. */
  List<TrackedDelivery> releaseFailedBefore(long time) {
    List<TrackedDelivery> failed =
        held.stream().filter(tracked -> time - tracked.suspectedAt >= 0).toList();
    if (!failed.isEmpty()) {
      held.removeAll(failed);
    }
    return failed;
  }

  /** Removes and returns all messages. */
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
