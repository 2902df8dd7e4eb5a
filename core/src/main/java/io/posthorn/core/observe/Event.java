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

/** What happened, as an {@link Observer} hears it. */
public sealed interface Event {
  String destination();

  /** These were sent, and it is settled. */
  record Sent(String destination, List<Delivery> deliveries) implements Event {}

  /** So many messages were claimed together: of the log, or of the parked. */
  record Claimed(String destination, int messages, boolean parked) implements Event {}

  /**
   * So many messages are given to the connector; each will be {@link Answered}, unless the lane is
   * lost.
   */
  record Handed(String destination, int messages) implements Event {}

  /**
   * The connector answered, or its time is over.
   *
   * @param sent whether it took the message; otherwise a {@link CallFailed} tells more
   * @param took the time since it was given the message
   * @param age the time since the message was stored, was to be delivered at the earliest, or was
   *     requeued: by the database's clock until it was claimed
   */
  record Answered(String destination, Delivery delivery, boolean sent, Duration took, Duration age)
      implements Event {}

  /** A call to the destination did not succeed; calls that count as no attempt are told too. */
  record CallFailed(String destination, Delivery delivery, Reason reason) implements Event {}

  /** The message waits outside the log, and it is settled. */
  record Parked(
      String destination,
      Delivery delivery,
      Waiting waiting,
      int attempts,
      Duration delay,
      @Nullable Reason reason)
      implements Event {}

  /** The message is a dead letter, and it is settled. */
  record Dead(String destination, Delivery delivery, String code, Reason reason) implements Event {}

  /**
   * So many messages of a type are dead letters because no route wanted them, and it is settled.
   */
  record NoRoute(String type, int messages) implements Event {
    @Override
    public String destination() {
      return RelayStore.UNROUTED;
    }
  }

  /** The consumer handled these, and it is committed. */
  record Handled(String destination, List<Message> messages) implements Event {}

  /** The consumer stored these, to handle them later. */
  record Stored(String destination, List<Message> messages) implements Event {}

  /** The consumer had handled or stored these before: they were dropped. */
  record Repeated(String destination, List<Message> messages) implements Event {}

  /** The consumer did not want these any more: younger ones of their keys had been handled. */
  record Stale(String destination, List<Message> messages) implements Event {}

  /** The consumer has no handler for the message's type. */
  record UnknownType(String destination, Message message) implements Event {}

  /**
   * A thread of the consumer failed, and starts again; or the database refuses one of its messages
   * for good, and those behind it wait.
   */
  record SubscriptionFailed(String destination, Reason reason) implements Event {}

  /**
   * The database refuses for good what a relay has to write or read for this destination, and there
   * is no way around it: messages wait until a person has seen to it. Told again as long as it is
   * so.
   *
   * @param what was not done
   */
  record StoreRefused(String destination, String what, Reason reason) implements Event {}

  record BreakerOpened(String destination, Reason reason) implements Event {}

  record BreakerClosed(String destination) implements Event {}

  /** A relay looked whether the destination could be sent to. */
  record Checked(String destination, List<Finding> findings) implements Event {}

  record LaneTaken(String destination) implements Event {}

  /** Given back on purpose, with everything settled. */
  record LaneReleased(String destination) implements Event {}

  /** Lost: another relay has it, or the lease ran out. */
  record LaneLost(String destination, String why) implements Event {}

  /**
   * This relay tends what no route wants and keeps the house, for the whole database; no other
   * does.
   */
  record HouseTaken() implements Event {
    @Override
    public String destination() {
      return RelayStore.UNROUTED;
    }
  }

  /** It does so no more. */
  record HouseLeft() implements Event {
    @Override
    public String destination() {
      return RelayStore.UNROUTED;
    }
  }

  /**
   * Told every half hour: so many dead letters will be removed within a week, the first of them at
   * this time.
   */
  record LettersExpire(String destination, long letters, Instant first) implements Event {}
}
