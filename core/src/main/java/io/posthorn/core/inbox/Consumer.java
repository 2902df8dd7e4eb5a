package io.posthorn.core.inbox;

import io.posthorn.core.store.AfterDead;

/**
 * A receiver of messages. It has the name of a destination with direction IN: messages that it
 * could not handle are parked there, and become dead letters there.
 *
 * @param latestWins whether a message is skipped, and recorded, if a newer one of its key was
 *     already handled
 * @param idempotent whether handling a message twice does no harm. No receipts are then written for
 *     handled messages; pauses and waiting keys are still respected
 * @param afterDead what happens to the later messages of a key when one of its messages is dead
 * @param guarded whether its handlers are application code that must not end the transaction. The
 *     store then refuses a commit until {@link InboxStore#seal}
 */
public record Consumer(
    String name, boolean latestWins, boolean idempotent, AfterDead afterDead, boolean guarded) {
  /** A consumer that keeps receipts, continues after a dead letter, and is not guarded. */
  public Consumer(String name, boolean latestWins) {
    this(name, latestWins, false, AfterDead.CONTINUE, false);
  }
}
