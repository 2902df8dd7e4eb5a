package io.posthorn.rabbitmq;

import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * How often the broker handed out the same message, as far as the feeds of this program saw. Quorum
 * queues count it, and take a message away when it comes too often.
 */
class Repeats {
  static final String COUNT = "x-delivery-count";

  private final AtomicLong most = new AtomicLong();

  void saw(@Nullable Map<String, Object> headers) {
    if (headers != null && headers.get(COUNT) instanceof Number count) {
      most.accumulateAndGet(count.longValue(), Math::max);
    }
  }

  long most() {
    return most.get();
  }
}
