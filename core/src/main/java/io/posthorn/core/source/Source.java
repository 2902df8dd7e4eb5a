package io.posthorn.core.source;

import io.posthorn.core.connector.Finding;
import java.util.List;

/**
 * An address at a broker that a subscription receives messages from. A source holds no connection;
 * {@link #open} creates one.
 */
public interface Source {
  /** What is read, and where, for people. */
  String name();

  /**
   * Connects for this consumer. All feeds of one consumer, in all programs, divide the messages
   * among them. Each feed is used by one thread at a time.
   */
  Feed open(String consumer);

  /**
   * Checks whether messages could be received now. It also reports settings of the broker that
   * would remove messages before this consumer has seen or stored them: a delivery limit, a
   * dead-letter queue, an expiry.
   */
  List<Finding> check(String consumer);
}
