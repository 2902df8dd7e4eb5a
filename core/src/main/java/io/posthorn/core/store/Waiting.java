package io.posthorn.core.store;

/** What a parked message waits for. */
public enum Waiting {
  /** For its next attempt, after a failed one. */
  RETRY,
  /** For its turn: an older message of its key is parked. */
  TURN,
  /**
   * For its turn, as a received message: a relay must still check whether an older one is parked.
   */
  BEHIND,
  /** For the time that it is scheduled for. Until then it does not block its key. */
  TIME,
  /** For a relay with the code for its type and its version. */
  CODE,
  /** For a route: no destination wants its type yet. */
  ROUTE,
  /** For a person to resume its type. */
  PAUSED,
  /** For the answer to a slow attempt that is in flight. */
  ANSWER
}
