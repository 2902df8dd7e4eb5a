package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who is at fault when an attempt fails: the message, or the destination.
 *
 * <p>An unavailable destination opens the breaker, and the message is a suspect: it stays where it
 * is and no attempt counts. If it fails the same way again although others were sent in between, it
 * is to blame after all. Failures one after the other, without one success, are held as suspects as
 * well, until somebody is sent (they are to blame), or so many keys have failed that it must be the
 * destination. What fails alone, with nothing to compare it with, is given up only after its whole
 * time limit, and only if a look from outside finds the receiver well.
 */
final class Blame {
  private final Destination destination;
  private final Observer observer;
  private final Breaker breaker;
  private final Decisions decisions;
  private final Consumer<Slot> line;
  private final BooleanSupplier alone;
  private final List<Slot> suspects = new ArrayList<>();
  private @Nullable Reason gone;
  private boolean well;
  private long lookedAt;

  /**
   * @param line takes a message to the end of the line
   * @param alone nothing is on its way, nor waits to be sent
   */
  Blame(
      Destination destination,
      Observer observer,
      Breaker breaker,
      Decisions decisions,
      Consumer<Slot> line,
      BooleanSupplier alone) {
    this.destination = destination;
    this.observer = observer;
    this.breaker = breaker;
    this.decisions = decisions;
    this.line = line;
    this.alone = alone;
  }

  /** The receiver answered this one, whatever it said of it. */
  void worked(Slot slot) {
    if (breaker.worked(slot.startedAt)) {
      observer.on(new Event.BreakerClosed(destination.name()));
    }
    all();
  }

  void failed(Slot slot, Reason reason, long now, boolean probed) {
    slot.failure = reason;
    if (probed) {
      letOthersTry(slot, reason, now);
    } else if (breaker.isOpen()) {
      suspectAgain(slot, reason, now);
    } else if (breaker.workedSince(slot)) {
      blame(slot);
    } else if (reason.code().equals(Reason.TIMEOUT) && breaker.openedDuring(slot)) {
      // That others are answered again does not show that the receiver heard of this one in time.
      slot.suspect(breaker.successes(), now);
      line.accept(slot);
    } else {
      slot.state = Slot.State.SUSPECT;
      suspects.add(slot);
      if (breaker.failed(slot.blame())) {
        open(slot, reason, now);
      }
    }
  }

  void unavailable(Slot slot, Reason reason, long now, boolean probed) {
    slot.failure = reason;
    breaker.failed(slot.blame());
    if (breaker.workedSince(slot)) {
      blame(slot);
    } else if (probed && slot.probed) {
      letOthersTry(slot, reason, now);
    } else if (probed) {
      slot.probed = true;
      breaker.probeFailed(reason, slot.retryAfter, now);
      suspectAgain(slot, reason, now);
    } else {
      suspectAgain(slot, reason, now);
    }
  }

  /** Whatever others were told: it is for a person to decide, and this message waits until then. */
  void gone(Slot slot, Reason reason, long now, boolean probed) {
    gone = reason;
    if (probed) {
      breaker.probeFailed(reason, Duration.ZERO, now);
    }
    suspectAgain(slot, reason, now);
  }

  /** Why the destination is to be paused, since it said that it is gone for good; asked once. */
  @Nullable Reason takeGone() {
    Reason why = gone;
    gone = null;
    return why;
  }

  /** Somebody looked then whether the receiver is well. */
  void looked(boolean foundWell, long at) {
    well = foundWell;
    lookedAt = at;
  }

  int suspects() {
    return suspects.size();
  }

  void forget() {
    suspects.clear();
  }

  /** All suspects are at fault. */
  void all() {
    if (!suspects.isEmpty()) {
      List<Slot> blamed = List.copyOf(suspects);
      suspects.clear();
      blamed.forEach(this::blame);
    }
  }

  private void blame(Slot slot) {
    Reason reason = slot.failure;
    if (reason == null) {
      throw new IllegalStateException("blamed without a reason: " + slot.delivery.message());
    }
    decisions.failed(slot, reason);
  }

  /**
   * Parked without an attempt. If all that is in memory are messages that fail, only others can
   * show that the destination works, and they are claimed only once these are out of the way.
   */
  private void letOthersTry(Slot slot, Reason reason, long now) {
    breaker.probeFailed(reason, slot.retryAfter, now);
    breaker.failed(slot.blame());
    if (isHopeless(slot)) {
      decisions.dead(slot, Reason.RETRY_EXHAUSTED, reason);
    } else {
      decisions.notBlamed(slot, reason);
    }
  }

  /**
   * A message with which nothing can be compared is given up when it has failed for as long as it
   * may, although the receiver is well as far as a look from outside tells. While it is not, or
   * while many fail, it is an outage however long it takes.
   */
  private boolean isHopeless(Slot slot) {
    RetryPolicy policy = destination.retry(slot.delivery.message().type());
    boolean foundWell = well && lookedAt - breaker.openedAt() >= 0;
    return alone.getAsBoolean()
        && !breaker.manyFailed()
        && foundWell
        && policy.tooLong(slot.delivery.suspectFor());
  }

  private void suspectAgain(Slot slot, Reason reason, long now) {
    slot.suspect(breaker.successes(), now);
    // To the end of the line: the next probe is another key's.
    line.accept(slot);
    open(slot, reason, now);
  }

  private void open(Slot failed, Reason reason, long now) {
    if (breaker.open(reason, failed.retryAfter, now)) {
      observer.on(new Event.BreakerOpened(destination.name(), reason));
    }
    for (Slot slot : suspects) {
      slot.suspect(breaker.successes(), now);
      line.accept(slot);
    }
    suspects.clear();
  }
}
