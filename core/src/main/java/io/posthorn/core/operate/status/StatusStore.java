package io.posthorn.core.operate.status;

/** The side of a store that returns the status. */
public interface StatusStore {
  /** Returns the status of all destinations, relays and the log. */
  Status status();
}
