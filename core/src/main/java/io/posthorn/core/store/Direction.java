package io.posthorn.core.store;

/** Whether a destination sends messages elsewhere or hands them to handlers here. */
public enum Direction {
  /** Messages go to a receiver elsewhere. */
  OUT,
  /** Messages go to a consumer: the handlers of this application. */
  IN
}
