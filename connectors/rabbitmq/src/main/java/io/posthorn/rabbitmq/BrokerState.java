package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.util.concurrent.atomic.AtomicLong;

/** What the connector has learned about the broker and the address; it outlives connections. */
final class BrokerState {
  private final AtomicLong maxMessageSize;
  private final boolean fixedAddress;
  private volatile boolean queueMissing;

  BrokerState(RabbitMqConfig config) {
    this.maxMessageSize = new AtomicLong(config.maxMessageSize());
    this.fixedAddress = config.isFixed();
  }

  /** Notes the broker's limit on message sizes. */
  void limit(long bytes) {
    maxMessageSize.accumulateAndGet(bytes, Math::min);
  }

  long maxMessageSize() {
    return maxMessageSize.get();
  }

  /** Returns whether the newest message for the fixed address found no queue. */
  boolean isQueueMissing() {
    return queueMissing;
  }

  /** Returns what a confirm means. It says only that the broker has processed the message. */
  Outcome confirmed(Publication publication) {
    if (!publication.wasReturned()) {
      queueMissing = false;
      return Outcome.SENT;
    }
    if (!fixedAddress) {
      return Outcome.rejected(
          Reason.of(
              ConnectionFailures.NO_QUEUE,
              "no queue is bound to this message's exchange and routing key"));
    }
    queueMissing = true;
    return Outcome.unavailable(noQueue());
  }

  static Reason noQueue() {
    return Reason.of(
        ConnectionFailures.NO_QUEUE,
        "the broker returned a message: no queue is bound to the exchange with this routing key. Bind a queue to it.");
  }
}
