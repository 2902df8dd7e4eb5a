package io.posthorn.core.source;

import java.time.Duration;
import java.util.List;

/**
 * The open end of a source: one connection's share of the messages. What was polled and not
 * acknowledged stays the broker's, and comes again to this feed or to another.
 *
 * <p>A feed that lost its connection connects again by itself; until then its methods wait or
 * return nothing. A {@code PosthornException} from a method means that a person must look: no such
 * address, no access.
 */
public interface Feed extends AutoCloseable {
  /**
   * The next messages, in the order in which they must be handled; empty if none came in time.
   * Everything polled before has been acknowledged, or is not this feed's any more.
   */
  List<Received> poll(int most, Duration wait) throws InterruptedException;

  /** These are handled or stored, for good. What is not this feed's any more is passed over. */
  void acknowledge(List<Received> done);

  /**
   * Waits while messages that were polled cannot be handled yet, and shows the broker that this
   * feed is alive.
   *
   * @return those that are still this feed's, in their order
   */
  List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException;

  /** Gives back, at once, what was not acknowledged. */
  @Override
  void close();
}
