package io.posthorn.core.connector;

import io.posthorn.core.message.Message;
import java.util.List;

/**
 * Hands messages to one destination. A relay calls {@link #send} from one thread per destination;
 * the answers may come from any thread, at any time, in any order.
 */
public interface Connector extends AutoCloseable {
  /**
   * Starts sending all of these. No two have the same key, so they may go in parallel. Answer each
   * exactly once, by its index; what is not answered within the send timeout counts as failed, and
   * a later answer is ignored. Must return soon: it may wait for a full buffer, never for a
   * receiver.
   */
  void send(List<Message> messages, Answers answers);

  /**
   * The same for a connector that wants to know the number of the attempt that this is for each
   * message, from 1.
   */
  default void send(List<Message> messages, List<Integer> attempts, Answers answers) {
    send(messages, answers);
  }

  /**
   * Whether this program has the code for this type. What a route sends here and no code serves
   * waits, without an attempt, for a relay that has it.
   */
  boolean serves(String type);

  /**
   * How many may be on their way at once, for example as many as there are connections. Asked for
   * each message, so it may change and must answer at once.
   */
  default int maxInFlight() {
    return Integer.MAX_VALUE;
  }

  /**
   * Looks whether messages could be sent now: whether the receiver can be reached, lets this
   * program in, has the address, and which limits it has. May take as long as a send; nothing is
   * sent. A relay calls it beside the delivery, from another thread. Whoever looked and found
   * nothing wrong says at least one value.
   */
  default List<Finding> check() {
    return List.of();
  }

  /** Sends nothing more. What is on its way may be answered or not; waits for it only shortly. */
  @Override
  void close();

  /** Takes the outcome of each message of one {@link #send}. */
  @FunctionalInterface
  interface Answers {
    void answer(int index, Outcome outcome);
  }
}
