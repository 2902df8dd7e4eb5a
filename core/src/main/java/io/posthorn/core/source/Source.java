package io.posthorn.core.source;

import io.posthorn.core.connector.Finding;
import java.util.List;

/** An address at a broker that a subscription gets its messages from. Opens nothing by itself. */
public interface Source {
  /** For people: what is read, and where. */
  String name();

  /**
   * Connects on behalf of this consumer. All feeds of one consumer, in all programs, share out the
   * messages; each feed is used by one thread at a time.
   */
  Feed open(String consumer);

  /**
   * Looks whether messages could be received now, and for settings of the broker by which messages
   * would vanish before this consumer has seen or stored them: a delivery limit, a dead-letter
   * queue, an expiry.
   */
  List<Finding> check(String consumer);
}
