package io.posthorn.core.relay;

import java.util.ArrayList;
import java.util.List;

/** The messages that failed and wait in memory until it is known who is at fault. */
final class UnjudgedFailures {
  private final List<TrackedDelivery> held = new ArrayList<>();

  /** Holds one that has failed just now. Those held at the same time have failed together. */
  void hold(TrackedDelivery slot, long now) {
    if (!held.isEmpty()) {
      slot.together = true;
      // All between were held together with one before them.
      held.get(held.size() - 1).together = true;
    }
    slot.state = TrackedDelivery.State.SUSPECT;
    slot.suspect(now);
    held.add(slot);
  }

  /** Lets go those that had failed by then. */
  List<TrackedDelivery> failedBefore(long time) {
    List<TrackedDelivery> failed =
        held.stream().filter(slot -> time - slot.suspectedAt >= 0).toList();
    if (!failed.isEmpty()) {
      held.removeAll(failed);
    }
    return failed;
  }

  /** Lets go all. */
  List<TrackedDelivery> all() {
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
