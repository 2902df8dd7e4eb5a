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
 * The contents of one settle: every message of a lane that was decided when this object was made.
 * Messages that are decided while the settle runs belong to the next settle.
 */
final class Settling {
  private final LaneEngine engine;
  private final Refusals refusals;

  /** Keys, or ids of messages without a key, of which a message was left out. */
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
   * @param completeOnly of the log, includes only the complete batches before the first incomplete
   *     one. While a batch is about to be complete, writing its single messages costs more than it
   *     is worth.
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
      throw new IllegalStateException("a batch in the queue of the log is not from the log");
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
   * Whether a message is part of this settle: it is decided, and the database does not refuse it. A
   * message that is left out counts as not decided, so later messages of its key are left out too.
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

  /** The messages for which something is written besides the progress. */
  List<TrackedDelivery> withMoves() {
    return included.stream().filter(tracked -> tracked.move != null).toList();
  }

  boolean isEmpty() {
    return included.isEmpty();
  }

  /** Whether this settles all batches in memory to their end. */
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

  /** Says that this settle is stored. */
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
