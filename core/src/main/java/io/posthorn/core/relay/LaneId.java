package io.posthorn.core.relay;

import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.Lane;

/** Identifies a lane, whichever relay owns it. */
record LaneId(String destination, int number) {
  static LaneId of(Lane lane) {
    return new LaneId(lane.destination(), lane.number());
  }

  static LaneId of(ClusterState.Holding lane) {
    return new LaneId(lane.destination(), lane.lane());
  }

  @Override
  public String toString() {
    return destination + "#" + number;
  }
}
