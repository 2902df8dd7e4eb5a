package io.posthorn.rabbitmq;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The highest delivery count of any message, as far as this program's feeds have seen. Quorum
 * queues count deliveries, and remove a message that is delivered too often.
 */
class DeliveryCounts {
  static final String COUNT = "x-delivery-count";

  private final AtomicLong most = new AtomicLong();

  void record(@Nullable Map<String, Object> headers) {
    if (headers != null && headers.get(COUNT) instanceof Number count) {
      most.accumulateAndGet(count.longValue(), Math::max);
    }
  }

  long most() {
    return most.get();
  }
}
