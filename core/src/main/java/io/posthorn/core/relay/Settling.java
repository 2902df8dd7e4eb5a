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
  private final Set<Object> leftOut = new HashSet<>();

  private final List<TrackedDelivery> covered = new ArrayList<>();
  private final List<Batch> batches = new ArrayList<>();
  private final List<Long> ahead = new ArrayList<>();
  private final List<Move> moves = new ArrayList<>();
  private long last;
  private boolean whole = true;
  private boolean all = true;

  Settling(LaneEngine engine) {
    this(engine, false);
  }

  /**
   * @param front of the log only batches that are complete, from the first on, as if the answers to
   *     the others had not come yet: to write down each of those costs more than it is worth while
   *     their batch is about to be complete
   */
  Settling(LaneEngine engine, boolean front) {
    this.engine = engine;
    this.refusals = engine.refusals();
    for (TrackedBatch flight : engine.flights()) {
      all = all && (!front || flight.complete());
      if (all) {
        addLog(flight, flight.batch);
      }
    }
    for (TrackedBatch flight : engine.parkedFlights()) {
      flight.slots.stream().filter(this::isIn).forEach(this::add);
    }
  }

  private void addLog(TrackedBatch flight, @Nullable Batch batch) {
    if (batch == null) {
      throw new IllegalStateException("a flight of the log without its batch");
    }
    if (batches.isEmpty()) {
      last = batch.start();
    }
    batches.add(batch);
    for (TrackedDelivery slot : flight.slots) {
      if (!isIn(slot)) {
        whole = false;
        continue;
      }
      if (whole) {
        last = slot.delivery.seq();
      } else {
        ahead.add(slot.delivery.seq());
      }
      add(slot);
    }
    if (whole) {
      last = batch.end();
    }
  }

  /**
   * What was decided, but for what the database refuses. Left out is as good as not decided yet,
   * and as it is then, nothing of the key goes before it.
   */
  private boolean isIn(TrackedDelivery slot) {
    if (slot.state != TrackedDelivery.State.DECIDED || slot.settled) {
      return slot.settled;
    }
    boolean full = slot.move != null && moves.size() >= refusals.most();
    if (full || refusals.isStuck(slot) || leftOut.contains(slot.blame())) {
      leftOut.add(slot.blame());
      return false;
    }
    return true;
  }

  private void add(TrackedDelivery slot) {
    if (!slot.settled) {
      covered.add(slot);
      Move move = slot.toWrite();
      if (move != null) {
        moves.add(move);
      }
    }
  }

  /** Those of which something is written besides the progress. */
  List<TrackedDelivery> moved() {
    return covered.stream().filter(slot -> slot.move != null).toList();
  }

  boolean isEmpty() {
    return covered.isEmpty();
  }

  /** All batches there are will be settled to their end. */
  boolean settlesAll() {
    return whole && all;
  }

  Settlement settlement(Lane lane, UUID progress, UUID next, @Nullable ClaimLimits claimNext) {
    boolean log = covered.stream().anyMatch(slot -> slot.flight.batch != null);
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
  void done(String destination, Observer observer) {
    refusals.settled(covered);
    List<Delivery> sent = new ArrayList<>();
    for (TrackedDelivery slot : covered) {
      engine.settled(slot);
      if (slot.sent) {
        sent.add(slot.delivery);
      } else if (slot.move != null) {
        tell(destination, observer, Objects.requireNonNull(slot.toWrite()));
      }
      unblock(slot);
    }
    if (!sent.isEmpty()) {
      observer.on(new Event.Sent(destination, sent));
    }
    while (!engine.flights().isEmpty()
        && engine.flights().peek().complete()
        && engine.flights().peek().settled()) {
      engine.flights().remove();
    }
    engine.parkedFlights().removeIf(flight -> flight.complete() && flight.settled());
  }

  private void unblock(TrackedDelivery slot) {
    boolean counted =
        (slot.move instanceof Move.Park park && park.waiting() != Waiting.TIME)
            || (slot.move instanceof Move.Die die && die.afterDead() == AfterDead.HOLD)
            || (slot.move instanceof Move.Bury bury && bury.afterDead() == AfterDead.HOLD);
    Key key = counted ? slot.key() : null;
    if (key != null) {
      engine.chains().stored(key);
    }
  }

  private static void tell(String destination, Observer observer, Move move) {
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
