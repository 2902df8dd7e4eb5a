package io.posthorn.testservers;

import java.io.IOException;

/**
 * What a {@link FaultProxy} does to the bytes that go through it. One instance serves all
 * connections, from the moment it is set until it is replaced.
 */
interface Fault {
  /**
   * Decides on the next chunk of a stream. An empty one is the end of the stream.
   *
   * @return false if this fault was replaced before it came to a decision: the next one is asked
   */
  boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException, InterruptedException;

  /** Another fault is set in its place. */
  default void replaced() {}
}
