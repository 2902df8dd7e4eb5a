package io.posthorn.core.observe;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
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

  /** A thread of the consumer failed; it starts again. */
  record SubscriptionFailed(String destination, Reason reason) implements Event {}

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
   * Told every half hour: so many dead letters will be removed within a week, the first of them at
   * this time.
   */
  record LettersExpire(String destination, long letters, Instant first) implements Event {}
}
