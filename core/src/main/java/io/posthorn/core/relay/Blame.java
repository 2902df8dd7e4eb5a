package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.time.Duration;
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
  private final SendScheduler scheduler;
  private final UnjudgedFailures unjudged = new UnjudgedFailures();
  private @Nullable Reason gone;
  private boolean inDoubt;
  private long doubtSince;
  private boolean receiverWell;
  private long checkedAt;

  Blame(
      Destination destination,
      Observer observer,
      Breaker breaker,
      Decisions decisions,
      SendScheduler scheduler) {
    this.destination = destination;
    this.observer = observer;
    this.breaker = breaker;
    this.decisions = decisions;
    this.scheduler = scheduler;
  }

  /** Its call begins now. What others are told from here on is too late to tell of it. */
  void sendStarts(TrackedDelivery tracked, long now) {
    boolean suspect = tracked.isSuspect();
    tracked.triedAgain = suspect && breaker.workedSince(tracked.suspectLast(now));
    tracked.failsOften = suspect && breaker.workedOftenSince(tracked.suspectFirst(now));
  }

  /** The receiver answered this one, whatever it said of it. */
  void worked(TrackedDelivery tracked, long now) {
    if (breaker.worked(tracked.startedAt, now)) {
      observer.on(new Event.BreakerClosed(destination.name()));
    }
    inDoubt &= doubtSince - tracked.startedAt > 0;
    for (TrackedDelivery suspect : unjudged.releaseFailedBefore(tracked.startedAt)) {
      boolean lone = !suspect.together && !wasOutOfTime(suspect);
      if (suspect.presumed || suspect.triedAgain || lone) {
        blame(suspect);
      } else {
        decisions.retryUncounted(suspect, reason(suspect), 1);
      }
    }
  }

  void failed(TrackedDelivery tracked, Outcome.Failed outcome, long now, boolean probed) {
    tracked.failure = outcome.reason();
    tracked.presumed = outcome.byMessage() || tracked.delivery.once();
    if (probed) {
      letOthersTry(tracked, outcome.reason(), now);
    } else if (breaker.isOpen()) {
      suspectAgain(tracked, outcome.reason(), now);
    } else {
      holdForJudgment(tracked, outcome.reason(), now);
    }
  }

  void unavailable(TrackedDelivery tracked, Reason reason, long now, boolean probed) {
    tracked.failure = reason;
    tracked.presumed = false;
    if (!breaker.isOpen() && tracked.triedAgain) {
      holdForJudgment(tracked, reason, now);
      return;
    }
    breaker.failed(tracked.blameKey(), tracked.startedAt, true);
    if (probed && tracked.failedAsProbe) {
      letOthersTry(tracked, reason, now);
    } else if (probed) {
      tracked.failedAsProbe = true;
      breaker.probeFailed(reason, tracked.retryAfter, now);
      suspectAgain(tracked, reason, now);
    } else {
      suspectAgain(tracked, reason, now);
    }
  }

  /** Whatever others were told: it is for a person to decide, and this message waits until then. */
  void gone(TrackedDelivery tracked, Reason reason, long now, boolean probed) {
    gone = reason;
    if (probed) {
      breaker.probeFailed(reason, Duration.ZERO, now);
    }
    suspectAgain(tracked, reason, now);
  }

  /** Why the destination is to be paused, since it said that it is gone for good; asked once. */
  @Nullable Reason takeGone() {
    Reason why = gone;
    gone = null;
    return why;
  }

  /** Somebody looked then whether the receiver is well. */
  void checked(boolean foundWell, long at) {
    receiverWell = foundWell;
    checkedAt = at;
  }

  /**
   * A message failed with nothing to compare it with, and nothing was sent since: a look from
   * outside may tell whether the receiver is well.
   */
  boolean inDoubt() {
    return inDoubt;
  }

  int suspects() {
    return unjudged.size();
  }

  void forget() {
    unjudged.forget();
  }

  /**
   * Nothing is on its way, or going to be, whose answer could tell: no suspect is held any longer.
   */
  void nothingElseCanTell() {
    for (TrackedDelivery suspect : unjudged.releaseAll()) {
      if (suspect.presumed || (suspect.triedAgain && !suspect.together)) {
        blame(suspect);
      } else {
        retryInDoubt(suspect);
      }
    }
  }

  private void holdForJudgment(TrackedDelivery tracked, Reason reason, long now) {
    tracked.together = breaker.openedDuring(tracked) || breaker.othersFailed(tracked.blameKey());
    unjudged.hold(tracked, now);
    // Many messages that always fail would open the breaker again and again, and never be judged.
    if (breaker.failed(tracked.blameKey(), tracked.startedAt, !tracked.failsOften)) {
      open(tracked, reason, now);
    }
  }

  private void blame(TrackedDelivery tracked) {
    scheduler.start(decisions.failed(tracked, reason(tracked)));
  }

  /** When its call began the destination may have hung, though it works by now. */
  private static boolean wasOutOfTime(TrackedDelivery tracked) {
    return reason(tracked).code().equals(Reason.TIMEOUT);
  }

  private static Reason reason(TrackedDelivery tracked) {
    if (tracked.failure == null) {
      throw new IllegalStateException("judged without a reason: " + tracked.delivery.message());
    }
    return tracked.failure;
  }

  /**
   * Parked without an attempt. If all that is in memory are messages that fail, only others can
   * show that the destination works, and they are claimed only once these are out of the way.
   */
  private void letOthersTry(TrackedDelivery tracked, Reason reason, long now) {
    breaker.probeFailed(reason, tracked.retryAfter, now);
    breaker.failed(tracked.blameKey(), tracked.startedAt, true);
    // The breaker sees to it that it is not tried too often.
    giveUpOrRetry(tracked, reason, breaker.openedAt(), 1);
  }

  /** There was nothing to compare it with. */
  private void retryInDoubt(TrackedDelivery tracked) {
    if (!inDoubt) {
      inDoubt = true;
      doubtSince = tracked.suspectedAt;
    }
    Duration since = tracked.delivery.suspectFor();
    giveUpOrRetry(tracked, reason(tracked), doubtSince, policy(tracked).pausesWithin(since) + 1);
  }

  private void giveUpOrRetry(TrackedDelivery tracked, Reason reason, long since, int tries) {
    if (isHopeless(tracked, since)) {
      scheduler.start(decisions.dead(tracked, Reason.RETRY_EXHAUSTED, reason));
    } else {
      decisions.retryUncounted(tracked, reason, tries);
    }
  }

  /**
   * A message with which nothing can be compared is given up when it has failed for as long as it
   * may, although the receiver is well as far as a look from outside tells. While it is not, or
   * while many fail, it is an outage however long it takes.
   */
  private boolean isHopeless(TrackedDelivery tracked, long since) {
    boolean foundWell = receiverWell && checkedAt - since >= 0;
    return scheduler.isIdle()
        && !breaker.manyFailed()
        && foundWell
        && policy(tracked).tooLong(tracked.delivery.suspectFor());
  }

  private RetryPolicy policy(TrackedDelivery tracked) {
    return destination.retry(tracked.delivery.message().type());
  }

  private void suspectAgain(TrackedDelivery tracked, Reason reason, long now) {
    tracked.suspect(now);
    // To the end of the line: the next probe is another key's.
    scheduler.queue(tracked);
    open(tracked, reason, now);
  }

  private void open(TrackedDelivery failed, Reason reason, long now) {
    if (breaker.open(reason, failed.retryAfter, now)) {
      observer.on(new Event.BreakerOpened(destination.name(), reason));
    }
    for (TrackedDelivery tracked : unjudged.releaseAll()) {
      tracked.suspect(now);
      scheduler.queue(tracked);
    }
  }
}
