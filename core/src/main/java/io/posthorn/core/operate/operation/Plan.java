package io.posthorn.core.operate.operation;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an operation is to do, and how carefully.
 *
 * @param selection of which things, as {@link DeadLetterQuery#values} or {@link SentQuery#values}
 * @param canary so many first; the rest only when it is known what came of them, and it went well;
 *     0 = none
 * @param ratePerSecond at most so many a second; none = as fast as they are delivered
 * @param stopAt the operation stops by itself when a larger share than this has died again; of at
 *     least the canary, or 20
 */
public record Plan(
    Action action,
    Map<String, String> selection,
    int canary,
    @Nullable Double ratePerSecond,
    double stopAt) {

  /** If nothing else is said, half of them. */
  public static final double STOP_AT = 0.5;

  public Plan {
    selection = Map.copyOf(selection);
    if (canary < 0 || (canary > 0 && !(action.sends() && action.mayBePaced()))) {
      throw wrong("a canary of %,d is not possible with %s".formatted(canary, action));
    }
    if (ratePerSecond != null && !(ratePerSecond > 0 && ratePerSecond <= 1e6)) {
      throw wrong("%s a second is no rate: choose more than 0".formatted(ratePerSecond));
    }
    if (ratePerSecond != null && !action.mayBePaced()) {
      throw wrong("%s has no rate of its own: limit the destination".formatted(action));
    }
    if (!(stopAt >= 0 && stopAt <= 1)) {
      throw wrong("%s is no share to stop at: choose one between 0 and 1".formatted(stopAt));
    }
  }

  private static PosthornException wrong(String why) {
    return new PosthornException(
        ErrorCode.INVALID_REQUEST, "the operation was not started: " + why + ".");
  }

  private static Plan of(Action action, DeadLetterQuery letters) {
    if (!letters.states().equals(Set.of(DeadLetter.State.DEAD))) {
      throw wrong("only letters that wait can be rescued, and the query asks for others too");
    }
    return new Plan(action, letters.values(), 0, null, STOP_AT);
  }

  public static Plan requeue(DeadLetterQuery letters) {
    return of(Action.REQUEUE, letters);
  }

  public static Plan requeueUnderNewIds(DeadLetterQuery letters) {
    return of(Action.REQUEUE_NEW_ID, letters);
  }

  public static Plan sendOnce(DeadLetterQuery letters) {
    return of(Action.SEND_ONCE, letters);
  }

  public static Plan discard(DeadLetterQuery letters) {
    return of(Action.DISCARD, letters);
  }

  /** Sends again what was sent. What is still parked, or waits as a dead letter, is left alone. */
  public static Plan resend(SentQuery messages) {
    return new Plan(Action.RESEND, messages.values(), 0, null, STOP_AT);
  }

  /** Sends all that the destination's routes want since then, as far as the log still has it. */
  public static Plan rewind(String destination, Instant since) {
    SentQuery messages = SentQuery.to(destination).between(since, null);
    return new Plan(Action.REWIND, messages.values(), 0, null, STOP_AT);
  }

  public Plan withCanary(int count) {
    return new Plan(action, selection, count, ratePerSecond, stopAt);
  }

  public Plan withRate(@Nullable Double perSecond) {
    return new Plan(action, selection, canary, perSecond, stopAt);
  }

  public Plan stoppingAt(double share) {
    return new Plan(action, selection, canary, ratePerSecond, share);
  }

  /** For an action of letters. */
  public DeadLetterQuery letters() {
    return DeadLetterQuery.of(selection);
  }

  /** For the others. */
  public SentQuery messages() {
    return SentQuery.of(selection);
  }
}
