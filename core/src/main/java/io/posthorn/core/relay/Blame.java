package io.posthorn.core.relay;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is at fault when an attempt fails: the message or the destination.
 *
 * <p>A message that fails is a suspect, and its attempt does not count yet. Calls to the
 * destination that begin after the failure decide. A success shows that the destination works, so
 * the message is at fault. Failures of many different keys in a row open the breaker, so the
 * destination is at fault.
 *
 * <p>A message that failed together with others, or timed out, gets a second chance, since a short
 * outage looks the same. It is blamed if it fails again although others were sent in between.
 *
 * <p>A message that fails while there is no other to compare it with is retried again and again. It
 * is given up only after its whole time limit, and only if the connector's check finds that the
 * receiver works.
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

  /**
   * Says that an attempt begins now. What was sent before it shows whether the destination worked
   * since the message last failed; later answers cannot show that any more.
   */
  void sendStarts(TrackedDelivery tracked, long now) {
    boolean suspect = tracked.isSuspect();
    tracked.triedAgain = suspect && breaker.workedSince(tracked.suspectLast(now));
    tracked.failsOften = suspect && breaker.workedOftenSince(tracked.suspectFirst(now));
  }

  /** Says that the receiver accepted or rejected this message, which shows that it works. */
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

  /** The receiver is gone for good: a person must decide, and this message waits until then. */
  void gone(TrackedDelivery tracked, Reason reason, long now, boolean probed) {
    gone = reason;
    if (probed) {
      breaker.probeFailed(reason, Duration.ZERO, now);
    }
    suspectAgain(tracked, reason, now);
  }

  /**
   * Why the receiver is gone for good, once after it said so, so that the destination is paused.
   */
  @Nullable Reason takeGone() {
    Reason why = gone;
    gone = null;
    return why;
  }

  /** Takes in the result of a check of the receiver that began at this time. */
  void checked(boolean foundWell, long at) {
    receiverWell = foundWell;
    checkedAt = at;
  }

  /**
   * Whether a message failed with no other to compare it with, and none was sent since. A check can
   * then show whether the receiver works.
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
   * Judges all suspects now, since no message is in flight, or can be sent, whose answer could show
   * more.
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
    // Messages that always fail do not count: they would open the breaker for ever, and never be
    // judged.
    if (breaker.failed(tracked.blameKey(), tracked.startedAt, !tracked.failsOften)) {
      open(tracked, reason, now);
    }
  }

  private void blame(TrackedDelivery tracked) {
    scheduler.start(decisions.failed(tracked, reason(tracked)));
  }

  /** Then the destination may have hung when the call began, although it works by now. */
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
   * Parks this message without counting an attempt. If all messages in memory fail, only others can
   * show that the destination works, and they are claimed only when these are out of the way.
   */
  private void letOthersTry(TrackedDelivery tracked, Reason reason, long now) {
    breaker.probeFailed(reason, tracked.retryAfter, now);
    breaker.failed(tracked.blameKey(), tracked.startedAt, true);
    // The shortest pause is enough: the open breaker limits how often messages are tried.
    giveUpOrRetry(tracked, reason, breaker.openedAt(), 1);
  }

  /** Parks this message without counting an attempt: there was no other to compare it with. */
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
   * Whether to give up a message that has no other to compare it with: it has failed for its whole
   * time limit although a check finds that the receiver works. If the receiver does not work, or
   * many keys fail, it is an outage, however long it takes.
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
    // At the end of the queue, so that the next probe has another key.
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
