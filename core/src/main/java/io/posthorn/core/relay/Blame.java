package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who is at fault when an attempt fails: the message, or the destination.
 *
 * <p>A message that fails is a suspect, and no attempt counts yet. What decides is a call to the
 * destination that began after the failure: one that succeeds shows that the destination works, and
 * so many different keys that fail one after the other open the breaker. A message that failed
 * together with others, or was out of time, gets a second chance, since a short outage looks like
 * that: it is to blame if it fails again although others were sent in between. What fails with
 * nothing to compare it with is tried again and again. It is given up only after its whole time
 * limit, and only if a look from outside finds the receiver well.
 */
final class Blame {
  private final Destination destination;
  private final Observer observer;
  private final Breaker breaker;
  private final Decisions decisions;
  private final Consumer<TrackedDelivery> line;
  private final BooleanSupplier alone;
  private final UnjudgedFailures suspects = new UnjudgedFailures();
  private @Nullable Reason gone;
  private boolean inDoubt;
  private long doubtSince;
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
      Consumer<TrackedDelivery> line,
      BooleanSupplier alone) {
    this.destination = destination;
    this.observer = observer;
    this.breaker = breaker;
    this.decisions = decisions;
    this.line = line;
    this.alone = alone;
  }

  /** Its call begins now. What others are told from here on is too late to tell of it. */
  void tries(TrackedDelivery slot, long now) {
    boolean suspect = slot.isSuspect();
    slot.triedAgain = suspect && breaker.workedSince(slot.suspectLast(now));
    slot.failsOften = suspect && breaker.workedOftenSince(slot.suspectFirst(now));
  }

  /** The receiver answered this one, whatever it said of it. */
  void worked(TrackedDelivery slot, long now) {
    if (breaker.worked(slot.startedAt, now)) {
      observer.on(new Event.BreakerClosed(destination.name()));
    }
    inDoubt &= doubtSince - slot.startedAt > 0;
    for (TrackedDelivery suspect : suspects.failedBefore(slot.startedAt)) {
      boolean lone = !suspect.together && !wasOutOfTime(suspect);
      if (suspect.presumed || suspect.triedAgain || lone) {
        blame(suspect);
      } else {
        decisions.notBlamed(suspect, reason(suspect), 1);
      }
    }
  }

  void failed(TrackedDelivery slot, Outcome.Failed outcome, long now, boolean probed) {
    slot.failure = outcome.reason();
    slot.presumed = outcome.byMessage() || slot.delivery.once();
    if (probed) {
      letOthersTry(slot, outcome.reason(), now);
    } else if (breaker.isOpen()) {
      suspectAgain(slot, outcome.reason(), now);
    } else {
      hold(slot, outcome.reason(), now);
    }
  }

  void unavailable(TrackedDelivery slot, Reason reason, long now, boolean probed) {
    slot.failure = reason;
    slot.presumed = false;
    if (!breaker.isOpen() && slot.triedAgain) {
      hold(slot, reason, now);
      return;
    }
    breaker.failed(slot.blame(), slot.startedAt, true);
    if (probed && slot.probed) {
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
  void gone(TrackedDelivery slot, Reason reason, long now, boolean probed) {
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

  /**
   * A message failed with nothing to compare it with, and nothing was sent since: a look from
   * outside may tell whether the receiver is well.
   */
  boolean inDoubt() {
    return inDoubt;
  }

  int suspects() {
    return suspects.size();
  }

  void forget() {
    suspects.forget();
  }

  /**
   * Nothing is on its way, or going to be, whose answer could tell: no suspect is held any longer.
   */
  void nothingElseCanTell() {
    for (TrackedDelivery suspect : suspects.all()) {
      if (suspect.presumed || (suspect.triedAgain && !suspect.together)) {
        blame(suspect);
      } else {
        doubt(suspect);
      }
    }
  }

  private void hold(TrackedDelivery slot, Reason reason, long now) {
    slot.together = breaker.openedDuring(slot) || breaker.othersFailed(slot.blame());
    suspects.hold(slot, now);
    // Many messages that always fail would open the breaker again and again, and never be judged.
    if (breaker.failed(slot.blame(), slot.startedAt, !slot.failsOften)) {
      open(slot, reason, now);
    }
  }

  private void blame(TrackedDelivery slot) {
    decisions.failed(slot, reason(slot));
  }

  /** When its call began the destination may have hung, though it works by now. */
  private static boolean wasOutOfTime(TrackedDelivery slot) {
    return reason(slot).code().equals(Reason.TIMEOUT);
  }

  private static Reason reason(TrackedDelivery slot) {
    if (slot.failure == null) {
      throw new IllegalStateException("judged without a reason: " + slot.delivery.message());
    }
    return slot.failure;
  }

  /**
   * Parked without an attempt. If all that is in memory are messages that fail, only others can
   * show that the destination works, and they are claimed only once these are out of the way.
   */
  private void letOthersTry(TrackedDelivery slot, Reason reason, long now) {
    breaker.probeFailed(reason, slot.retryAfter, now);
    breaker.failed(slot.blame(), slot.startedAt, true);
    // The breaker sees to it that it is not tried too often.
    park(slot, reason, breaker.openedAt(), 1);
  }

  /** There was nothing to compare it with. */
  private void doubt(TrackedDelivery slot) {
    if (!inDoubt) {
      inDoubt = true;
      doubtSince = slot.suspectedAt;
    }
    Duration since = slot.delivery.suspectFor();
    park(slot, reason(slot), doubtSince, policy(slot).pausesWithin(since) + 1);
  }

  private void park(TrackedDelivery slot, Reason reason, long since, int tries) {
    if (isHopeless(slot, since)) {
      decisions.dead(slot, Reason.RETRY_EXHAUSTED, reason);
    } else {
      decisions.notBlamed(slot, reason, tries);
    }
  }

  /**
   * A message with which nothing can be compared is given up when it has failed for as long as it
   * may, although the receiver is well as far as a look from outside tells. While it is not, or
   * while many fail, it is an outage however long it takes.
   */
  private boolean isHopeless(TrackedDelivery slot, long since) {
    boolean foundWell = well && lookedAt - since >= 0;
    return alone.getAsBoolean()
        && !breaker.manyFailed()
        && foundWell
        && policy(slot).tooLong(slot.delivery.suspectFor());
  }

  private RetryPolicy policy(TrackedDelivery slot) {
    return destination.retry(slot.delivery.message().type());
  }

  private void suspectAgain(TrackedDelivery slot, Reason reason, long now) {
    slot.suspect(now);
    // To the end of the line: the next probe is another key's.
    line.accept(slot);
    open(slot, reason, now);
  }

  private void open(TrackedDelivery failed, Reason reason, long now) {
    if (breaker.open(reason, failed.retryAfter, now)) {
      observer.on(new Event.BreakerOpened(destination.name(), reason));
    }
    for (TrackedDelivery slot : suspects.all()) {
      slot.suspect(now);
      line.accept(slot);
    }
  }
}
