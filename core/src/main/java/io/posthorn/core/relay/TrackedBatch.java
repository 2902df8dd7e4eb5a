package io.posthorn.core.relay;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch in the memory of a lane: of the log, or of parked messages, which have no log batch. */
final class TrackedBatch {
  final @Nullable Batch logBatch;
  final List<TrackedDelivery> deliveries;
  final long bytes;

  /** Whether it is a message that is parked while its answer is still awaited. */
  final boolean setAside;

  int undecided;
  private boolean inMemory;
  private long inMemorySince;

  TrackedBatch(@Nullable Batch logBatch, List<Delivery> claimed) {
    this(logBatch, claimed, false);
  }

  private TrackedBatch(@Nullable Batch logBatch, List<Delivery> claimed, boolean setAside) {
    this.logBatch = logBatch;
    this.setAside = setAside;
    this.deliveries = new ArrayList<>(claimed.size());
    long sum = 0;
    for (Delivery delivery : claimed) {
      deliveries.add(new TrackedDelivery(delivery, this));
      sum += delivery.message().bytes();
    }
    this.bytes = sum;
    this.undecided = deliveries.size();
  }

  /** A batch of one message that is parked while its answer is still awaited. */
  static TrackedBatch ofSetAside(TrackedDelivery slow) {
    return new TrackedBatch(null, List.of(slow.delivery.asParked()), true);
  }

  /** Says that the batch is in memory by this time; only the first call counts. */
  void markInMemory(long now) {
    if (!inMemory) {
      inMemory = true;
      inMemorySince = now;
    }
  }

  long inMemoryFor(long now) {
    return inMemory ? now - inMemorySince : 0;
  }

  boolean settled() {
    return deliveries.stream().allMatch(tracked -> tracked.settled);
  }

  /** Whether all messages stay parked as they are, so that nothing is sent or written. */
  boolean changesNothing() {
    return deliveries.stream()
        .allMatch(
            tracked ->
                tracked.state == TrackedDelivery.State.DECIDED
                    && tracked.move == null
                    && !tracked.sent);
  }

  boolean complete() {
    return undecided == 0;
  }
}
