package io.posthorn.core.source;

import java.time.Duration;
import java.util.List;

/**
 * One connection to a source, and its share of the messages. The broker keeps a message until it is
 * acknowledged; otherwise it delivers the message again, to this feed or to another.
 *
 * <p>A feed that loses its connection reconnects by itself. Until then its methods wait or return
 * nothing. A {@code PosthornException} from a method means that a person must act, for example
 * because the address does not exist or access is denied.
 */
public interface Feed extends AutoCloseable {
  /**
   * Returns the next messages, in the order in which they must be handled. Call it only when every
   * message polled before has been acknowledged, or no longer belongs to this feed.
   *
   * @param most the most messages to return
   * @param wait how long to wait for the first message
   * @return empty if no message arrived in time
   */
  List<Received> poll(int most, Duration wait) throws InterruptedException;

  /**
   * Tells the broker that these messages are handled or stored for good. Messages that no longer
   * belong to this feed are ignored.
   */
  void acknowledge(List<Received> done);

  /**
   * Waits while polled messages cannot be handled yet, and shows the broker that this feed is
   * alive.
   *
   * @return the messages that still belong to this feed, in their order
   */
  List<Received> keep(List<Received> inHand, Duration pause) throws InterruptedException;

  /** Returns all messages that are not acknowledged to the broker, at once. */
  @Override
  void close();
}
