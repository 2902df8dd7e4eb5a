package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what a settle writes about a message, and what follows for the rest of its key: the next
 * message can start, or all later ones are parked behind this one.
 *
 * <p>A method that returns a message returns the next one of the key, which the caller must start.
 * It returns null if there is none or if it has to wait.
 */
final class Decisions {
  /** How soon a message that waits for code is looked at again. The pause grows with its age. */
  private static final Duration SHORTEST_PAUSE_FOR_CODE = Duration.ofSeconds(5);

  private static final Duration LONGEST_PAUSE_FOR_CODE = Duration.ofMinutes(5);

  /**
   * A message that was set aside is retried this long after its timeout if its answer was never
   * settled, for example because the relay crashed.
   */
  private static final Duration ANSWER_MARGIN = Duration.ofSeconds(10);

  private final Destination destination;
  private final KeyChains chains;
  private final RandomGenerator random;

  Decisions(Destination destination, KeyChains chains, RandomGenerator random) {
    this.destination = destination;
    this.chains = chains;
    this.random = random;
  }

  @Nullable TrackedDelivery sent(TrackedDelivery tracked, boolean stale) {
    tracked.sent = true;
    tracked.decide(tracked.delivery.parked() ? new Move.Sent(tracked.delivery, stale) : null);
    return nextOfKey(tracked);
  }

  /** The attempt failed and counts: the message is retried later, or it is dead. */
  @Nullable TrackedDelivery failed(TrackedDelivery tracked, Reason reason) {
    Delivery delivery = tracked.delivery;
    int attempts = delivery.attempts() + 1;
    int tries = attempts - delivery.attemptsBefore();
    RetryPolicy policy = destination.retry(delivery.message().type());
    if (delivery.once() || policy.exhausted(tries, delivery.failingFor())) {
      return dead(tracked, Reason.RETRY_EXHAUSTED, reason);
    }
    parkWithRest(tracked, Waiting.RETRY, attempts, pause(tracked, policy, tries), reason);
    return null;
  }

  /**
   * The attempt failed and does not count, since it is not clear who is at fault. The message is
   * retried after the pause that follows this many tries.
   */
  void retryUncounted(TrackedDelivery tracked, Reason reason, int tries) {
    Delivery delivery = tracked.delivery;
    RetryPolicy policy = destination.retry(delivery.message().type());
    parkWithRest(
        tracked, Waiting.RETRY, delivery.attempts(), pause(tracked, policy, tries), reason);
  }

  private Duration pause(TrackedDelivery tracked, RetryPolicy policy, int tries) {
    Duration backoff = policy.pauseAfter(tries, random);
    return backoff.compareTo(tracked.retryAfter) < 0 ? tracked.retryAfter : backoff;
  }

  @Nullable TrackedDelivery dead(TrackedDelivery tracked, String code, Reason reason) {
    return dead(tracked, tracked.delivery.attempts() + 1, code, reason);
  }

  /** The message is too old to be sent: it is dead without an attempt. */
  @Nullable TrackedDelivery expired(TrackedDelivery tracked, Duration notAfter) {
    Reason reason = Reason.of(Reason.EXPIRED, "not sent: it is older than " + notAfter);
    return dead(tracked, tracked.delivery.attempts(), Reason.EXPIRED, reason);
  }

  private @Nullable TrackedDelivery dead(
      TrackedDelivery tracked, int attempts, String code, Reason reason) {
    Delivery delivery = tracked.delivery;
    AfterDead afterDead = destination.afterDead(delivery.message().type());
    return dead(tracked, new Move.Die(delivery, attempts, code, reason, afterDead), afterDead);
  }

  /** The message's row cannot be read: it is dead without an attempt. */
  @Nullable TrackedDelivery unreadable(TrackedDelivery tracked, Reason why) {
    Delivery delivery = tracked.delivery;
    AfterDead afterDead = destination.afterDead(delivery.message().type());
    return dead(tracked, new Move.Bury(delivery, delivery.attempts(), why, afterDead), afterDead);
  }

  private @Nullable TrackedDelivery dead(TrackedDelivery tracked, Move move, AfterDead afterDead) {
    tracked.decide(move);
    Key key = tracked.key();
    if (afterDead == AfterDead.HOLD && key != null) {
      chains.parked(key);
      parkRest(tracked, key);
      return null;
    }
    return nextOfKey(tracked);
  }

  /** The message is scheduled for later. Its key does not wait for it. */
  void scheduled(TrackedDelivery tracked) {
    tracked.decide(new Move.Park(tracked.delivery, Waiting.TIME, 0, Duration.ZERO, null));
  }

  /** The message stays parked as it is, since an earlier one could not be sent. */
  void leaveParked(TrackedDelivery tracked) {
    tracked.decide(null);
  }

  /** The message is parked behind an earlier one of its key. */
  void parkBehind(TrackedDelivery tracked) {
    park(tracked, Waiting.TURN, 0, Duration.ZERO, null);
  }

  /** This relay has no code for the type: the message waits for a relay that has it. */
  @Nullable TrackedDelivery unserved(TrackedDelivery tracked) {
    Delivery delivery = tracked.delivery;
    Duration grace = destination.unservedGrace();
    if (grace != null && delivery.age().compareTo(grace) >= 0) {
      String text = "no relay had code for type '%s' within %s";
      Reason noCode =
          Reason.of(Reason.UNKNOWN_TYPE, text.formatted(delivery.message().type(), grace));
      return dead(tracked, delivery.attempts(), Reason.UNKNOWN_TYPE, noCode);
    }
    Duration pause = pauseForCode(delivery);
    if (grace != null) {
      pause = shorter(pause, grace.minus(delivery.age()));
    }
    waitForCode(tracked, noCode(delivery), pause);
    return null;
  }

  /** The connector failed to say whether it has the code; it may say so soon. */
  void waitForCode(TrackedDelivery tracked) {
    waitForCode(tracked, noCode(tracked.delivery), SHORTEST_PAUSE_FOR_CODE);
  }

  /** The same, if this relay has code for the type that cannot read the message. */
  void waitForCode(TrackedDelivery tracked, String why) {
    waitForCode(tracked, why, pauseForCode(tracked.delivery));
  }

  private static String noCode(Delivery delivery) {
    return "this relay has no code for type '" + delivery.message().type() + "'";
  }

  private void waitForCode(TrackedDelivery tracked, String why, Duration pause) {
    Reason reason = Reason.of(Reason.UNSERVED, why);
    parkWithRest(tracked, Waiting.CODE, tracked.delivery.attempts(), pause, reason);
  }

  /**
   * As long as the message is old, so each pause is about twice the one before. New code need not
   * wait for it: a relay that takes the lane looks at these messages at once.
   */
  private static Duration pauseForCode(Delivery delivery) {
    Duration pause = shorter(delivery.age(), LONGEST_PAUSE_FOR_CODE);
    return pause.compareTo(SHORTEST_PAUSE_FOR_CODE) < 0 ? SHORTEST_PAUSE_FOR_CODE : pause;
  }

  private static Duration shorter(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** A person paused the type of the message. */
  void typePaused(TrackedDelivery tracked) {
    parkWithRest(tracked, Waiting.PAUSED, tracked.delivery.attempts(), Duration.ZERO, null);
  }

  /** A person paused the key of the message. The store does not return messages of a paused key. */
  void keyPaused(TrackedDelivery tracked) {
    parkBehindOrLeave(tracked);
    Key key = tracked.key();
    if (key != null) {
      parkRest(tracked, key);
    }
  }

  /**
   * The answer to this message is late: the message is parked, and {@code aside} takes its place
   * until the answer arrives.
   */
  void setAside(TrackedDelivery slow, TrackedDelivery aside) {
    Duration untilRetry = destination.sendTimeout().plus(ANSWER_MARGIN);
    park(slow, Waiting.ANSWER, slow.delivery.attempts(), untilRetry, null);
    Key key = slow.key();
    if (key != null) {
      parkRest(slow, key);
      chains.append(aside, key);
    }
  }

  private @Nullable TrackedDelivery nextOfKey(TrackedDelivery done) {
    Key key = done.key();
    return key == null ? null : chains.advance(done, key);
  }

  private void parkWithRest(
      TrackedDelivery tracked,
      Waiting waiting,
      int attempts,
      Duration pause,
      @Nullable Reason reason) {
    park(tracked, waiting, attempts, pause, reason);
    Key key = tracked.key();
    if (key != null) {
      parkRest(tracked, key);
    }
  }

  private void parkRest(TrackedDelivery first, Key key) {
    for (TrackedDelivery tracked = chains.cut(first, key); tracked != null; ) {
      TrackedDelivery following = tracked.next;
      tracked.next = null;
      parkBehindOrLeave(tracked);
      tracked = following;
    }
  }

  private void parkBehindOrLeave(TrackedDelivery tracked) {
    if (tracked.delivery.parked()) {
      leaveParked(tracked);
    } else {
      parkBehind(tracked);
    }
  }

  private void park(
      TrackedDelivery tracked,
      Waiting waiting,
      int attempts,
      Duration pause,
      @Nullable Reason reason) {
    tracked.decide(new Move.Park(tracked.delivery, waiting, attempts, pause, reason));
    Key key = tracked.key();
    if (key != null) {
      chains.parked(key);
    }
  }
}
