package io.posthorn.core.store;

/** What a parked message waits for. */
public enum Waiting {
  /** Its next attempt, after a failed one. */
  RETRY,
  /** Its turn: an older message of its key is parked before it. */
  TURN,
  /** The same, for a received message: a relay has still to look whether the older one is gone. */
  BEHIND,
  /** Its time: it was scheduled. It does not block its key until then. */
  TIME,
  /** A relay that has the code for its type. */
  CODE,
  /** A route: no destination wants its type yet. */
  ROUTE,
  /** A person who resumes its type. */
  PAUSED,
  /** The answer to an attempt that is under way and slow. */
  ANSWER
}
