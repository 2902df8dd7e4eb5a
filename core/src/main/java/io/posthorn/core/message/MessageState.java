package io.posthorn.core.message;

import java.util.EnumSet;
import java.util.Set;

/** Where a message stands with one destination, and the closed list of moves between the states. */
public enum MessageState {
  PENDING,
  IN_FLIGHT,
  SENT,
  FAILED,
  DEAD,
  DISCARDED;

  public Set<MessageState> next() {
    return switch (this) {
      case PENDING -> EnumSet.of(IN_FLIGHT);
      case IN_FLIGHT -> EnumSet.of(SENT, FAILED, DEAD);
      case FAILED -> EnumSet.of(IN_FLIGHT, DEAD);
      case DEAD -> EnumSet.of(PENDING, SENT, DISCARDED);
      case SENT, DISCARDED -> EnumSet.noneOf(MessageState.class);
    };
  }
}
