package io.posthorn.core.relay;

import io.posthorn.core.message.Key;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Waiting;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One settle: everything of a lane's memory that was decided when it was made. What is decided
 * while it is being written belongs to the next one.
 */
final class Settling {
  private final LaneEngine engine;
  private final Refusals refusals;

  /** Keys, and messages without one, of which something was left out: nothing after it goes in. */
  private final Set<Object> keysLeftOut = new HashSet<>();

  private final List<TrackedDelivery> included = new ArrayList<>();
  private final List<Batch> batches = new ArrayList<>();
  private final List<Long> ahead = new ArrayList<>();
  private final List<Move> moves = new ArrayList<>();
  private long last;
  private boolean whole = true;
  private boolean allBatches = true;

  Settling(LaneEngine engine) {
    this(engine, false);
  }

  /**
   * @param completeOnly of the log only batches that are complete, from the first on, as if the
   *     answers to the others had not come yet: to write down each of those costs more than it is
   *     worth while their batch is about to be complete
   */
  Settling(LaneEngine engine, boolean completeOnly) {
    this.engine = engine;
    this.refusals = engine.refusals();
    for (TrackedBatch batch : engine.logBatches()) {
      allBatches = allBatches && (!completeOnly || batch.complete());
      if (allBatches) {
        addLog(batch);
      }
    }
    for (TrackedBatch batch : engine.parkedBatches()) {
      batch.deliveries.stream().filter(this::isIncluded).forEach(this::add);
    }
  }

  private void addLog(TrackedBatch batch) {
    Batch logBatch = batch.logBatch;
    if (logBatch == null) {
      throw new IllegalStateException("a batch of the log without what was claimed");
    }
    if (batches.isEmpty()) {
      last = logBatch.start();
    }
    batches.add(logBatch);
    for (TrackedDelivery tracked : batch.deliveries) {
      if (!isIncluded(tracked)) {
        whole = false;
        continue;
      }
      if (whole) {
        last = tracked.delivery.seq();
      } else {
        ahead.add(tracked.delivery.seq());
      }
      add(tracked);
    }
    if (whole) {
      last = logBatch.end();
    }
  }

  /**
   * What was decided, but for what the database refuses. Left out is as good as not decided yet,
   * and as it is then, nothing of the key goes before it.
   */
  private boolean isIncluded(TrackedDelivery tracked) {
    if (tracked.state != TrackedDelivery.State.DECIDED || tracked.settled) {
      return tracked.settled;
    }
    boolean full = tracked.move != null && moves.size() >= refusals.maxMoves();
    if (full || refusals.isStuck(tracked) || keysLeftOut.contains(tracked.blameKey())) {
      keysLeftOut.add(tracked.blameKey());
      return false;
    }
    return true;
  }

  private void add(TrackedDelivery tracked) {
    if (!tracked.settled) {
      included.add(tracked);
      Move move = tracked.toWrite();
      if (move != null) {
        moves.add(move);
      }
    }
  }

  /** Those of which something is written besides the progress. */
  List<TrackedDelivery> withMoves() {
    return included.stream().filter(tracked -> tracked.move != null).toList();
  }

  boolean isEmpty() {
    return included.isEmpty();
  }

  /** All batches there are will be settled to their end. */
  boolean settlesAll() {
    return whole && allBatches;
  }

  Settlement settlement(Lane lane, UUID progress, UUID next, @Nullable ClaimLimits claimNext) {
    boolean log = included.stream().anyMatch(tracked -> tracked.batch.logBatch != null);
    return new Settlement(
        lane,
        progress,
        next,
        log ? List.copyOf(batches) : List.of(),
        last,
        List.copyOf(ahead),
        whole,
        List.copyOf(moves),
        claimNext);
  }

  /** It is written. */
  void written(String destination, Observer observer) {
    refusals.settled(included);
    List<Delivery> sent = new ArrayList<>();
    for (TrackedDelivery tracked : included) {
      engine.settled(tracked);
      if (tracked.sent) {
        sent.add(tracked.delivery);
      } else if (tracked.move != null) {
        report(destination, observer, Objects.requireNonNull(tracked.toWrite()));
      }
      releaseKey(tracked);
    }
    if (!sent.isEmpty()) {
      observer.on(new Event.Sent(destination, sent));
    }
    while (!engine.logBatches().isEmpty()
        && engine.logBatches().peek().complete()
        && engine.logBatches().peek().settled()) {
      engine.logBatches().remove();
    }
    engine.parkedBatches().removeIf(batch -> batch.complete() && batch.settled());
  }

  private void releaseKey(TrackedDelivery tracked) {
    boolean counted =
        (tracked.move instanceof Move.Park park && park.waiting() != Waiting.TIME)
            || (tracked.move instanceof Move.Die die && die.afterDead() == AfterDead.HOLD)
            || (tracked.move instanceof Move.Bury bury && bury.afterDead() == AfterDead.HOLD);
    Key key = counted ? tracked.key() : null;
    if (key != null) {
      engine.chains().stored(key);
    }
  }

  private static void report(String destination, Observer observer, Move move) {
    if (move instanceof Move.Park park) {
      observer.on(
          new Event.Parked(
              destination,
              park.delivery(),
              park.waiting(),
              park.attempts(),
              park.delay(),
              park.reason()));
    } else if (move instanceof Move.Die die) {
      observer.on(new Event.Dead(destination, die.delivery(), die.code(), die.reason()));
    } else if (move instanceof Move.Bury bury) {
      observer.on(
          new Event.Dead(destination, bury.delivery(), bury.reason().code(), bury.reason()));
    }
  }
}
