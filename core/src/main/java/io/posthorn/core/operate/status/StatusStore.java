package io.posthorn.core.operate.status;

/** The side of a store that tells how everything stands. */
public interface StatusStore {
  Status status();
}
