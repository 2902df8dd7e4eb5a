package io.posthorn.core.connector;

import io.posthorn.core.message.Message;
import java.util.List;

/**
 * Sends messages to one destination.
 *
 * <p>A relay calls {@link #send} from one thread per destination. The connector may answer from any
 * thread, at any time, in any order.
 */
public interface Connector extends AutoCloseable {
  /**
   * Starts sending all these messages. No two of them have the same key, so you can send them in
   * parallel.
   *
   * <p>Answer each message exactly once, by its index. A message without an answer within the send
   * timeout counts as failed, and a later answer is ignored. This method must return soon: it may
   * wait for space in a buffer, but never for a receiver.
   */
  void send(List<Message> messages, Answers answers);

  /**
   * Starts sending all these messages, with the number of the current attempt of each, from 1. A
   * relay calls this method; by default it ignores the attempts and calls the other.
   */
  default void send(List<Message> messages, List<Integer> attempts, Answers answers) {
    send(messages, answers);
  }

  /**
   * Whether this program has the code for this type. A message that is routed here without such
   * code waits, without an attempt, for a relay that has the code.
   */
  boolean serves(String type);

  /**
   * Receives the name of a destination that the connector serves, for its logs and traces. A relay
   * calls this method before it starts.
   */
  default void serving(String destination) {}

  /**
   * The most messages that may be in flight at once, for example the number of connections. A relay
   * asks before each message, so the value may change, and the method must return at once.
   */
  default int maxInFlight() {
    return Integer.MAX_VALUE;
  }

  /**
   * Checks whether messages could be sent now, without sending any: whether the receiver can be
   * reached, accepts this program's credentials, has the address, and which limits it sets. The
   * check may take as long as a send; a relay runs it on another thread, beside the delivery.
   *
   * @return all problems and values that were found; a check that finds no problem returns at least
   *     one value. Empty means that this connector cannot check
   */
  default List<Finding> check() {
    return List.of();
  }

  /**
   * Sends no more messages. Waits only briefly for those in flight; they may be answered or not.
   */
  @Override
  void close();

  /** Receives the outcome of each message of one {@link #send}. */
  @FunctionalInterface
  interface Answers {
    void answer(int index, Outcome outcome);
  }
}
