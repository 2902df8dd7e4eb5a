package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.util.concurrent.atomic.AtomicLong;

/** What is known of the broker and its address; it outlives connections. */
final class Known {
  private final AtomicLong maxMessageSize;
  private final boolean fixedAddress;
  private volatile boolean queueMissing;

  Known(RabbitMqConfig config) {
    this.maxMessageSize = new AtomicLong(config.maxMessageSize());
    this.fixedAddress = config.isFixed();
  }

  /** The broker said that it takes no larger ones. */
  void limit(long bytes) {
    maxMessageSize.accumulateAndGet(bytes, Math::min);
  }

  long maxMessageSize() {
    return maxMessageSize.get();
  }

  /** Whether the newest message for the fixed address found no queue. */
  boolean isQueueMissing() {
    return queueMissing;
  }

  /** What a confirm means: it says only that the broker has dealt with the message. */
  Outcome confirmed(Publication publication) {
    if (!publication.wasReturned()) {
      queueMissing = false;
      return Outcome.SENT;
    }
    if (!fixedAddress) {
      return Outcome.rejected(
          Reason.of(ConnectionFailures.NO_QUEUE, "no queue is bound for the address of this message"));
    }
    queueMissing = true;
    return Outcome.unavailable(noQueue());
  }

  static Reason noQueue() {
    return Reason.of(
        ConnectionFailures.NO_QUEUE,
        "the broker returned a message: no queue is bound to the exchange with this routing key. Bind one.");
  }
}
