package io.posthorn.core.relay;

import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Members;

/** Which lane it is, whoever holds it. */
record LaneName(String destination, int number) {
  static LaneName of(Lane lane) {
    return new LaneName(lane.destination(), lane.number());
  }

  static LaneName of(Members.Holding lane) {
    return new LaneName(lane.destination(), lane.lane());
  }

  @Override
  public String toString() {
    return destination + "#" + number;
  }
}
