package io.posthorn.testservers;

import java.io.IOException;

/**
 * What a {@link FaultProxy} does to the bytes that pass through it. One instance serves all
 * connections, from the moment it is set until it is replaced.
 */
interface Fault {
  /**
   * Decides on the next chunk of a stream. An empty chunk is the end of the stream.
   *
   * @return false if this fault was replaced before it decided: the proxy then asks the next fault
   */
  boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException, InterruptedException;

  /** Called when another fault replaces this one. */
  default void replaced() {}
}
