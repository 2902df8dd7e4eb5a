package io.posthorn.core.store;

/** Which way messages of a destination go. */
public enum Direction {
  /** To a receiver elsewhere. */
  OUT,
  /** To a consumer: handlers of this application. */
  IN
}
