package io.posthorn.testservers;

/** The direction in which bytes pass through a {@link FaultProxy}. */
public enum Direction {
  TO_SERVER,
  TO_CLIENT
}
