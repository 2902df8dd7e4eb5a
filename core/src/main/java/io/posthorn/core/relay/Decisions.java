package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Decides what is to be written down of a message, and what that means for the rest of its key: the
 * next one may go, or all of them queue up behind.
 */
final class Decisions {
  private static final Duration UNSERVED_PAUSE = Duration.ofSeconds(5);

  /**
   * If nobody settles the answer of one that was set aside, it is tried again so long after the
   * timeout.
   */
  private static final Duration ANSWER_MARGIN = Duration.ofSeconds(10);

  private final Destination destination;
  private final KeyChains chains;
  private final RandomGenerator random;
  private final Consumer<TrackedDelivery> ready;

  /** The last argument is told which message may go next. */
  Decisions(
      Destination destination,
      KeyChains chains,
      RandomGenerator random,
      Consumer<TrackedDelivery> ready) {
    this.destination = destination;
    this.chains = chains;
    this.random = random;
    this.ready = ready;
  }

  void sent(TrackedDelivery slot, boolean stale) {
    slot.sent = true;
    slot.decide(slot.delivery.parked() ? new Move.Sent(slot.delivery, stale) : null);
    next(slot);
  }

  /** The attempt counts: it is tried again later, or it was the last. */
  void failed(TrackedDelivery slot, Reason reason) {
    Delivery delivery = slot.delivery;
    int attempts = delivery.attempts() + 1;
    int tries = attempts - delivery.attemptsBefore();
    RetryPolicy policy = destination.retry(delivery.message().type());
    if (delivery.once() || policy.exhausted(tries, delivery.failingFor())) {
      dead(slot, Reason.RETRY_EXHAUSTED, reason);
    } else {
      parkWithRest(slot, Waiting.RETRY, attempts, pause(slot, policy, tries), reason);
    }
  }

  /**
   * It failed, and it is not clear who is at fault: it is tried again after the pause that follows
   * so many tries, and no attempt counts.
   */
  void notBlamed(TrackedDelivery slot, Reason reason, int tries) {
    Delivery delivery = slot.delivery;
    RetryPolicy policy = destination.retry(delivery.message().type());
    parkWithRest(slot, Waiting.RETRY, delivery.attempts(), pause(slot, policy, tries), reason);
  }

  private Duration pause(TrackedDelivery slot, RetryPolicy policy, int tries) {
    Duration backoff = policy.pauseAfter(tries, random);
    return backoff.compareTo(slot.retryAfter) < 0 ? slot.retryAfter : backoff;
  }

  void dead(TrackedDelivery slot, String code, Reason reason) {
    dead(slot, slot.delivery.attempts() + 1, code, reason);
  }

  /** It is too old to be sent. There was no attempt. */
  void expired(TrackedDelivery slot, Duration notAfter) {
    Reason reason = Reason.of(Reason.EXPIRED, "not sent: it is older than " + notAfter);
    dead(slot, slot.delivery.attempts(), Reason.EXPIRED, reason);
  }

  private void dead(TrackedDelivery slot, int attempts, String code, Reason reason) {
    Delivery delivery = slot.delivery;
    AfterDead afterDead = destination.afterDead(delivery.message().type());
    dead(slot, new Move.Die(delivery, attempts, code, reason, afterDead), afterDead);
  }

  /** Its row cannot be read, so there is nothing to send. There was no attempt. */
  void unreadable(TrackedDelivery slot, Reason why) {
    Delivery delivery = slot.delivery;
    AfterDead afterDead = destination.afterDead(delivery.message().type());
    dead(slot, new Move.Bury(delivery, delivery.attempts(), why, afterDead), afterDead);
  }

  private void dead(TrackedDelivery slot, Move move, AfterDead afterDead) {
    slot.decide(move);
    Key key = slot.key();
    if (afterDead == AfterDead.HOLD && key != null) {
      chains.parked(key);
      parkRest(slot, key);
    } else {
      next(slot);
    }
  }

  /** It was scheduled for later. Its key does not wait for it. */
  void scheduled(TrackedDelivery slot) {
    slot.decide(new Move.Park(slot.delivery, Waiting.TIME, 0, Duration.ZERO, null));
  }

  /** It is parked already, and one before it could not go. */
  void stays(TrackedDelivery slot) {
    slot.decide(null);
  }

  /** Another of its key is parked before it. */
  void behind(TrackedDelivery slot) {
    park(slot, Waiting.TURN, 0, Duration.ZERO, null);
  }

  /** This program lacks the code for its type. */
  void unserved(TrackedDelivery slot) {
    Delivery delivery = slot.delivery;
    Duration grace = destination.unservedGrace();
    if (grace != null && delivery.age().compareTo(grace) >= 0) {
      String text = "no code for type '%s' came within %s";
      Reason none =
          Reason.of(Reason.UNKNOWN_TYPE, text.formatted(delivery.message().type(), grace));
      dead(slot, delivery.attempts(), Reason.UNKNOWN_TYPE, none);
      return;
    }
    unclear(slot);
  }

  /** It waits for a relay that has the code, however long that takes. */
  void unclear(TrackedDelivery slot) {
    Delivery delivery = slot.delivery;
    Reason reason =
        Reason.of(
            Reason.UNSERVED, "this relay has no code for type '" + delivery.message().type() + "'");
    parkWithRest(slot, Waiting.CODE, delivery.attempts(), UNSERVED_PAUSE, reason);
  }

  /** A person paused its type. */
  void typePaused(TrackedDelivery slot) {
    parkWithRest(slot, Waiting.PAUSED, slot.delivery.attempts(), Duration.ZERO, null);
  }

  /** A person paused its key; the store knows, and gives none of it a turn. */
  void keyPaused(TrackedDelivery slot) {
    putBehind(slot);
    Key key = slot.key();
    if (key != null) {
      parkRest(slot, key);
    }
  }

  /**
   * Its answer is late: it is parked, and {@code aside} takes its place for when the answer comes.
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

  private void next(TrackedDelivery done) {
    Key key = done.key();
    TrackedDelivery next = key == null ? null : chains.advance(done, key);
    if (next != null) {
      ready.accept(next);
    }
  }

  private void parkWithRest(
      TrackedDelivery slot,
      Waiting waiting,
      int attempts,
      Duration pause,
      @Nullable Reason reason) {
    park(slot, waiting, attempts, pause, reason);
    Key key = slot.key();
    if (key != null) {
      parkRest(slot, key);
    }
  }

  private void parkRest(TrackedDelivery first, Key key) {
    for (TrackedDelivery slot = chains.cut(first, key); slot != null; ) {
      TrackedDelivery following = slot.next;
      slot.next = null;
      putBehind(slot);
      slot = following;
    }
  }

  private void putBehind(TrackedDelivery slot) {
    if (slot.delivery.parked()) {
      stays(slot);
    } else {
      behind(slot);
    }
  }

  private void park(
      TrackedDelivery slot,
      Waiting waiting,
      int attempts,
      Duration pause,
      @Nullable Reason reason) {
    slot.decide(new Move.Park(slot.delivery, waiting, attempts, pause, reason));
    Key key = slot.key();
    if (key != null) {
      chains.parked(key);
    }
  }
}
