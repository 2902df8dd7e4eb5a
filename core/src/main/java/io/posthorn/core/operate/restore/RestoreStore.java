package io.posthorn.core.operate.restore;

import io.posthorn.core.operate.audit.Actor;

/** The side of a store for whoever restores or copies databases. */
public interface RestoreStore {
  /** Looks, and changes nothing. */
  Adoption adoption();

  /**
   * Makes the database the one of this environment on this server, in one transaction.
   *
   * @return what was found, which is what was decided about
   */
  Adoption adopt(String environment, Adopt how, Actor by);

  /** Lets no relay send from here any more; false if that was so already. */
  boolean fence(Actor by);
}
