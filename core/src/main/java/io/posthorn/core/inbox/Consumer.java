package io.posthorn.core.inbox;

import io.posthorn.core.store.AfterDead;

/**
 * Who receives. Its name is that of a destination whose direction is IN: what it could not handle
 * is parked there, and becomes a dead letter there.
 *
 * @param latestWins a message older than what was handled of its key is not handed over but noted
 * @param idempotent handling a message twice does no harm, so no receipts are written for what it
 *     handles; pauses, and keys that wait, are heeded all the same
 * @param afterDead what happens to the rest of a key when one of its messages is dead
 * @param guarded its handlers are somebody else's, who must not end the transaction: the store lets
 *     it be committed only after {@link InboxStore#seal}
 */
public record Consumer(
    String name, boolean latestWins, boolean idempotent, AfterDead afterDead, boolean guarded) {
  public Consumer(String name, boolean latestWins) {
    this(name, latestWins, false, AfterDead.CONTINUE, false);
  }
}
