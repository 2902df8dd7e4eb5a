package io.posthorn.core.relay;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Move;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Finds a way around settles that the database refuses. Repeated unchanged, such a settle would
 * fail for ever, and so would everything else that is settled with it.
 *
 * <p>The settle is cut in halves until the guilty message is alone. Its move is then written with
 * less and less of what may be refused: first without the texts of its failure, then as a dead
 * letter made from what is in memory, or, if the message was sent, by only removing its row. If the
 * database refuses that as well, the message is stuck: it and later messages of its key are left
 * out, and tried again every minute.
 */
final class Refusals {
  static final long AGAIN_AFTER = Duration.ofMinutes(1).toNanos();

  private static final int WITHOUT_TEXTS = 1;
  private static final int LAST_RESORT = 2;
  private static final int STUCK = 3;

  /** ASCII and the same for every message, since the refused value may have been a text. */
  private static final String REFUSED =
      "the database refused to store the result of this message; the relay's log has the result and the refusal";

  private final Function<String, AfterDead> afterDead;
  private final Map<TrackedDelivery, Integer> levels = new HashMap<>();
  private int maxMoves = Integer.MAX_VALUE;
  private long stuckUntil;

  /**
   * @param afterDead what happens to a key after a dead message of this type
   */
  Refusals(Function<String, AfterDead> afterDead) {
    this.afterDead = afterDead;
  }

  /** How many moves one settle may write now. */
  int maxMoves() {
    return maxMoves;
  }

  boolean isStuck(TrackedDelivery tracked) {
    return !levels.isEmpty() && levels.getOrDefault(tracked, 0) >= STUCK;
  }

  boolean anyStuck() {
    return levels.containsValue(STUCK);
  }

  /** Whether every unsettled message of this batch is stuck, or has the key of a stuck message. */
  boolean allStuck(TrackedBatch batch) {
    if (!anyStuck()) {
      return false;
    }
    Set<Object> stuckKeys = new HashSet<>();
    levels.forEach(
        (tracked, level) -> {
          if (level >= STUCK) {
            stuckKeys.add(tracked.blameKey());
          }
        });
    return batch.complete()
        && batch.deliveries.stream()
            .allMatch(tracked -> tracked.settled || stuckKeys.contains(tracked.blameKey()));
  }

  /** Tries stuck messages again after a while, since a person may have fixed the cause. */
  void retryStuckIfDue(long now) {
    if (anyStuck() && now - stuckUntil >= 0) {
      levels.keySet().forEach(tracked -> tracked.replacement = null);
      levels.clear();
    }
  }

  /**
   * Says that a settle of these messages, which have moves, was refused; returns true if the single
   * message is stuck now.
   */
  boolean refused(List<TrackedDelivery> withMoves, long now) {
    if (withMoves.size() > 1) {
      maxMoves = withMoves.size() / 2;
      return false;
    }
    maxMoves = 1;
    TrackedDelivery guilty = withMoves.get(0);
    Move before = guilty.toWrite();
    int level = levels.getOrDefault(guilty, 0);
    do {
      level++;
      guilty.replacement = level < STUCK ? replacementFor(guilty, level) : null;
    } while (level < STUCK && before != null && before.equals(guilty.toWrite()));
    levels.put(guilty, level);
    if (level == STUCK) {
      stuckUntil = now + AGAIN_AFTER;
    }
    return level == STUCK;
  }

  private Move replacementFor(TrackedDelivery tracked, int level) {
    Move move = tracked.move;
    if (move == null) {
      throw new IllegalStateException("a message without a move was refused");
    }
    Delivery delivery = tracked.delivery;
    if (move instanceof Move.Park park) {
      return level == WITHOUT_TEXTS
          ? new Move.Park(
              delivery,
              park.waiting(),
              park.attempts(),
              park.delay(),
              park.reason() == null ? null : reason())
          : bury(delivery, park.attempts(), afterDead.apply(delivery.message().type()));
    } else if (move instanceof Move.Die die) {
      return level == WITHOUT_TEXTS
          ? new Move.Die(delivery, die.attempts(), Reason.STORE_REFUSED, reason(), die.afterDead())
          : bury(delivery, die.attempts(), die.afterDead());
    } else if (move instanceof Move.Bury bury) {
      return bury(delivery, bury.attempts(), bury.afterDead());
    }
    return level == LAST_RESORT ? new Move.Forget(delivery) : move;
  }

  private static Move bury(Delivery delivery, int attempts, AfterDead afterDead) {
    return new Move.Bury(delivery, attempts, reason(), afterDead);
  }

  private static Reason reason() {
    return Reason.of(Reason.STORE_REFUSED, REFUSED);
  }

  /** Says that these messages are stored; the next settle may write more. */
  void settled(List<TrackedDelivery> covered) {
    if (maxMoves != Integer.MAX_VALUE) {
      maxMoves = maxMoves > Integer.MAX_VALUE / 4 ? Integer.MAX_VALUE : maxMoves * 2;
    }
    covered.forEach(levels::remove);
  }

  /** Says that the lane dropped all messages from memory. */
  void forget() {
    levels.clear();
    maxMoves = Integer.MAX_VALUE;
  }

  /** The result of a message, for the log. */
  static String describe(TrackedDelivery tracked) {
    Move move = tracked.move;
    Reason reason =
        move instanceof Move.Park park
            ? park.reason()
            : move instanceof Move.Die die
                ? die.reason()
                : move instanceof Move.Bury bury ? bury.reason() : null;
    return reason == null ? "no failure" : reason.code() + ": " + reason.text();
  }

  static Reason reason(PosthornException refusal) {
    return Reason.of(Reason.STORE_REFUSED, String.valueOf(refusal.getMessage()));
  }
}
