package io.posthorn.console.page;

import io.posthorn.core.message.MessageState;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.operation.Operation;

/**
 * A state: an icon and a word.
 *
 * @param kind good, waiting, trouble, dead, or empty for neutral
 */
public record Badge(String kind, String icon, String text) {
  /** The state of a message with a destination. */
  public static Badge of(MessageState state) {
    return switch (state) {
      case PENDING -> new Badge("waiting", "waiting", "pending");
      case IN_FLIGHT -> new Badge("good", "flight", "in flight");
      case SENT -> new Badge("good", "good", "sent");
      case FAILED -> new Badge("trouble", "retry", "failed, retrying");
      case DEAD -> new Badge("dead", "dead", "dead");
      case DISCARDED -> new Badge("", "discarded", "discarded");
    };
  }

  /** The state of a dead letter. */
  public static Badge of(DeadLetter letter) {
    return switch (letter.state()) {
      case DEAD -> new Badge("dead", "dead", "waits for a person");
      case DISCARDED -> new Badge("", "discarded", "discarded");
      case SENT -> new Badge("good", "good", "sent once");
      case REQUEUED -> requeued(letter);
    };
  }

  private static Badge requeued(DeadLetter letter) {
    DeadLetter.Outcome outcome = letter.outcome();
    if (outcome == null) {
      return new Badge("waiting", "flight", "requeued, on its way");
    }
    return switch (outcome) {
      case SENT -> new Badge("good", "good", "requeued, then sent");
      case SKIPPED_STALE -> new Badge("", "discarded", "requeued, then skipped as stale");
      case DEAD -> new Badge("dead", "dead", "requeued, then dead again");
    };
  }

  /** The state of an operation. */
  public static Badge of(Operation operation) {
    return switch (operation.state()) {
      case RUNNING ->
          operation.waitsForCanary()
              ? new Badge("waiting", "waiting", "waits for its canary")
              : new Badge("good", "flight", "running");
      case STOPPED -> new Badge("trouble", "paused", "stopped");
      case DONE -> new Badge("good", "good", "done");
    };
  }
}
