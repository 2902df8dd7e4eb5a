package io.posthorn.core.message;

import java.util.EnumSet;
import java.util.Set;

/** Where a message stands with one destination, and the closed list of moves between the states. */
public enum MessageState {
  /** Stored, and no relay is delivering it now. No attempt has failed since it was last queued. */
  PENDING,

  /** A relay has claimed it, and the relay's lease has not run out. */
  IN_FLIGHT,

  /** The receiver has acknowledged it. */
  SENT,

  /** At least one attempt has failed. The relay will try again. */
  FAILED,

  /** It is a dead letter: the relay has given up, and a person decides what to do. */
  DEAD,

  /** A person gave it up. The dead letter is kept as evidence. */
  DISCARDED;

  /**
   * The states that can follow this one. Only a person moves a message out of {@code DEAD} or
   * {@code SENT}, or into {@code DISCARDED}.
   */
  public Set<MessageState> next() {
    return switch (this) {
      // Dead without an attempt: no route wants it, or its destination was removed.
      case PENDING -> EnumSet.of(IN_FLIGHT, DEAD, DISCARDED);
      // Pending again: the relay lost its lease, or the destination was unavailable.
      case IN_FLIGHT -> EnumSet.of(PENDING, SENT, FAILED, DEAD, DISCARDED);
      case FAILED -> EnumSet.of(IN_FLIGHT, DEAD, DISCARDED);
      case DEAD -> EnumSet.of(PENDING, SENT, DISCARDED);
      // Sent again, or its destination was rewound.
      case SENT -> EnumSet.of(PENDING);
      case DISCARDED -> EnumSet.noneOf(MessageState.class);
    };
  }
}
