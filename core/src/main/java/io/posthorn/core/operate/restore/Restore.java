package io.posthorn.core.operate.restore;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.audit.Actor;

/**
 * What to do about a database that was restored, copied or upgraded. A relay refuses to send from
 * it, because the original may have sent the same, or because its progress counts transactions of
 * another server; here a person decides. Both changes are audited.
 */
public final class Restore {
  /** An environment that begins so is nobody's: no relay may have such a name. */
  public static final String FENCED = "fenced: ";

  private static final int LONGEST = 200;

  private final RestoreStore store;

  private Restore(RestoreStore store) {
    this.store = store;
  }

  public static Restore on(RestoreStore store) {
    return new Restore(store);
  }

  /** What adopting would be about; nothing is changed. */
  public Adoption preview() {
    return store.adoption();
  }

  /** From now on relays of this environment deliver from here. */
  public Adoption adopt(String environment, Adopt how, Actor by) {
    if (environment.isBlank()
        || environment.length() > LONGEST
        || environment.startsWith(FENCED.strip())) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "the database was not adopted: '%s' is no name for an environment. Choose the one that its relays are configured for, of at most %d characters."
              .formatted(environment, LONGEST));
    }
    return store.adopt(environment, how, by);
  }

  /** For scripts that copy databases: no relay sends from the copy until it is adopted. */
  public boolean fence(Actor by) {
    return store.fence(by);
  }
}
