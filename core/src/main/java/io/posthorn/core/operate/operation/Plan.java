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
 * What an operation does, and how carefully.
 *
 * @param selection what to work on, as {@link DeadLetterQuery#values} or {@link SentQuery#values}
 * @param canary how many to send first. The rest follows only when the outcomes of these are known
 *     and good; 0 means no canary
 * @param ratePerSecond the most per second; null means as fast as they are delivered
 * @param stopAt the share of dead outcomes above which the operation stops by itself. It is checked
 *     when all outcomes of the canary are known, and from 20 known outcomes on
 */
public record Plan(
    Action action,
    Map<String, String> selection,
    int canary,
    @Nullable Double ratePerSecond,
    double stopAt) {

  /** The default of {@code stopAt}: half of the outcomes. */
  public static final double STOP_AT = 0.5;

  public Plan {
    selection = Map.copyOf(selection);
    if (canary < 0 || (canary > 0 && !(action.sends() && action.mayBePaced()))) {
      throw wrong("a canary of %,d is not possible with %s".formatted(canary, action));
    }
    if (ratePerSecond != null && !(ratePerSecond > 0 && ratePerSecond <= 1e6)) {
      throw wrong("%s per second is not a valid rate: choose more than 0".formatted(ratePerSecond));
    }
    if (ratePerSecond != null && !action.mayBePaced()) {
      throw wrong(
          "%s cannot have a rate of its own: limit the destination instead".formatted(action));
    }
    if (!(stopAt >= 0 && stopAt <= 1)) {
      throw wrong(
          "%s is not a valid share to stop at: choose one between 0 and 1".formatted(stopAt));
    }
  }

  private static PosthornException wrong(String why) {
    return new PosthornException(
        ErrorCode.INVALID_REQUEST, "the operation was not started: " + why + ".");
  }

  private static Plan of(Action action, DeadLetterQuery letters) {
    if (!letters.states().equals(Set.of(DeadLetter.State.DEAD))) {
      throw wrong(
          "only dead letters in the state DEAD can be rescued, but the query selects others too");
    }
    return new Plan(action, letters.values(), 0, null, STOP_AT);
  }

  /** Requeues the letters under their ids. */
  public static Plan requeue(DeadLetterQuery letters) {
    return of(Action.REQUEUE, letters);
  }

  /** Requeues the letters under new ids. */
  public static Plan requeueUnderNewIds(DeadLetterQuery letters) {
    return of(Action.REQUEUE_NEW_ID, letters);
  }

  /** Tries the letters once. */
  public static Plan sendOnce(DeadLetterQuery letters) {
    return of(Action.SEND_ONCE, letters);
  }

  /** Gives the letters up. */
  public static Plan discard(DeadLetterQuery letters) {
    return of(Action.DISCARD, letters);
  }

  /** Sends these messages again. Messages that are parked or dead letters are left alone. */
  public static Plan resend(SentQuery messages) {
    return new Plan(Action.RESEND, messages.values(), 0, null, STOP_AT);
  }

  /** Sends all messages of the destination's routes since this time that the log still has. */
  public static Plan rewind(String destination, Instant since) {
    SentQuery messages = SentQuery.to(destination).between(since, null);
    return new Plan(Action.REWIND, messages.values(), 0, null, STOP_AT);
  }

  /** Sends this many first, and waits for their outcomes. */
  public Plan withCanary(int count) {
    return new Plan(action, selection, count, ratePerSecond, stopAt);
  }

  /** Limits the rate; null means no limit. */
  public Plan withRate(@Nullable Double perSecond) {
    return new Plan(action, selection, canary, perSecond, stopAt);
  }

  /** Stops when a larger share than this has died again. */
  public Plan stoppingAt(double share) {
    return new Plan(action, selection, canary, ratePerSecond, share);
  }

  /** The selected letters, if the action works on dead letters. */
  public DeadLetterQuery letters() {
    return DeadLetterQuery.of(selection);
  }

  /** The selected messages, if the action works on messages of the log. */
  public SentQuery messages() {
    return SentQuery.of(selection);
  }
}
