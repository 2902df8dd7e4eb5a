package io.posthorn.core.relay;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A batch in the memory of a lane: of the log, or of parked messages (then it has no batch). */
final class TrackedBatch {
  final @Nullable Batch batch;
  final List<TrackedDelivery> slots;
  final long bytes;
  int undecided;
  private boolean seen;
  private long seenAt;

  TrackedBatch(@Nullable Batch batch, List<Delivery> deliveries) {
    this.batch = batch;
    this.slots = new ArrayList<>(deliveries.size());
    long sum = 0;
    for (Delivery delivery : deliveries) {
      slots.add(new TrackedDelivery(delivery, this));
      sum += delivery.message().bytes();
    }
    this.bytes = sum;
    this.undecided = slots.size();
  }

  /** One message that is parked while its answer is still awaited. */
  static TrackedBatch aside(TrackedDelivery slow) {
    return new TrackedBatch(null, List.of(slow.delivery.asParked()));
  }

  /** It is in this memory since then, at the latest. */
  void seen(long now) {
    if (!seen) {
      seen = true;
      seenAt = now;
    }
  }

  long seenFor(long now) {
    return seen ? now - seenAt : 0;
  }

  boolean settled() {
    return slots.stream().allMatch(slot -> slot.settled);
  }

  /** Nothing of it goes anywhere, and nothing is to be written down. */
  boolean staysAsItIs() {
    return slots.stream()
        .allMatch(
            slot -> slot.state == TrackedDelivery.State.DECIDED && slot.move == null && !slot.sent);
  }

  boolean complete() {
    return undecided == 0;
  }
}
