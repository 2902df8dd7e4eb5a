package io.posthorn.testservers;

/** Which way bytes go through a {@link FaultProxy}. */
public enum Direction {
  TO_SERVER,
  TO_CLIENT
}
