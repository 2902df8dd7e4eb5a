package io.posthorn.core.status;

/** The side of a store that tells how everything stands. */
public interface StatusStore {
  Status status();
}
