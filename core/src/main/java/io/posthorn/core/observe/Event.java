package io.posthorn.core.observe;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A change of state that an {@link Observer} is notified of. */
public sealed interface Event {
  /** The destination that the event is about. */
  String destination();

  /** These messages were sent, and that is settled. */
  record Sent(String destination, List<Delivery> deliveries) implements Event {}

  /** A claim returned this number of messages, from the log or from the parked messages. */
  record Claimed(String destination, int messages, boolean parked) implements Event {}

  /**
   * This number of messages is given to the connector. Each will be {@link Answered}, unless the
   * lane is lost.
   */
  record Handed(String destination, int messages) implements Event {}

  /**
   * The connector answered, or the send timeout has passed.
   *
   * @param sent whether the message was sent; otherwise a {@link CallFailed} says why not
   * @param took the time since the connector was given the message
   * @param age the time since the message was stored, was due, or was requeued, whichever is
   *     latest; until the claim it is measured by the database's clock
   */
  record Answered(String destination, Delivery delivery, boolean sent, Duration took, Duration age)
      implements Event {}

  /**
   * The destination has confirmed that it has the message. Comes on the thread of the connector's
   * answer, and also if the relay no longer waits for the answer: because the send timeout has
   * passed, or because the lane is lost. So the message may be sent again all the same.
   */
  record Confirmed(String destination, Delivery delivery) implements Event {}

  /** A call to the destination failed. Calls that do not count as attempts are included. */
  record CallFailed(String destination, Delivery delivery, Reason reason) implements Event {}

  /**
   * A call of a consumer's handler failed. A bus reports it for all messages; for those that a
   * relay handed over, the relay reports the same failure as {@link CallFailed}.
   *
   * @param attempt from 1
   */
  record HandlerFailed(String destination, Message message, int attempt, Reason reason)
      implements Event {}

  /** The message is parked: it waits outside the log, and that is settled. */
  record Parked(
      String destination,
      Delivery delivery,
      Waiting waiting,
      int attempts,
      Duration delay,
      @Nullable Reason reason)
      implements Event {}

  /** The message is a dead letter, and that is settled. */
  record Dead(String destination, Delivery delivery, String code, Reason reason) implements Event {}

  /** This number of messages of a type became dead letters, because no route wanted them. */
  record NoRoute(String type, int messages) implements Event {
    @Override
    public String destination() {
      return RelayStore.UNROUTED;
    }
  }

  /** The consumer handled these messages, and that is committed. */
  record Handled(String destination, List<Message> messages) implements Event {}

  /** The consumer stored these messages, to handle them later. */
  record Stored(String destination, List<Message> messages) implements Event {}

  /** These messages were dropped, because the consumer had already handled or stored them. */
  record Repeated(String destination, List<Message> messages) implements Event {}

  /** These messages were skipped, because newer ones of their keys had already been handled. */
  record Stale(String destination, List<Message> messages) implements Event {}

  /** The consumer has no handler for the message's type. */
  record UnknownType(String destination, Message message) implements Event {}

  /**
   * A thread of the consumer failed and will start again, or the database refuses one of its
   * messages for good and the messages behind it wait.
   */
  record SubscriptionFailed(String destination, Reason reason) implements Event {}

  /**
   * The database refuses for good what a relay must write or read for this destination. Its
   * messages wait until a person has fixed the cause, and the event is repeated until then.
   *
   * @param what what was not done
   */
  record StoreRefused(String destination, String what, Reason reason) implements Event {}

  /** The destination does not work, and its messages wait until it does. */
  record BreakerOpened(String destination, Reason reason) implements Event {}

  /** The destination works again, and its messages are delivered. */
  record BreakerClosed(String destination) implements Event {}

  /** A relay checked whether messages could be sent to the destination. */
  record Checked(String destination, List<Finding> findings) implements Event {}

  /** The relay took a lane of the destination. */
  record LaneTaken(String destination) implements Event {}

  /** The relay gave a lane back on purpose, with everything settled. */
  record LaneReleased(String destination) implements Event {}

  /** The relay lost a lane: another relay has it, or the lease ran out. */
  record LaneLost(String destination, String why) implements Event {}

  /**
   * This relay is now the one that handles unrouted messages and does the housekeeping for the
   * whole database.
   */
  record HouseTaken() implements Event {
    @Override
    public String destination() {
      return RelayStore.UNROUTED;
    }
  }

  /** This relay no longer handles unrouted messages and housekeeping. */
  record HouseLeft() implements Event {
    @Override
    public String destination() {
      return RelayStore.UNROUTED;
    }
  }

  /**
   * This number of dead letters will be removed within a week. Repeated every half hour.
   *
   * @param first when the first of them will be removed
   */
  record LettersExpire(String destination, long letters, Instant first) implements Event {}
}
