package io.posthorn.core.operate.restore;

import io.posthorn.core.operate.audit.Actor;
import java.util.Collection;
import java.util.Set;
import java.util.UUID;

/** The side of a store for people who restore or copy databases. */
public interface RestoreStore {
  /** Returns what a person must know before adopting the database. It changes nothing. */
  Adoption adoption();

  /**
   * Assigns the database to this environment on this server, in one transaction.
   *
   * @return what the database contained at that moment
   */
  Adoption adopt(String environment, Adopt how, Actor by);

  /** Keeps relays from sending from this database. Returns false if it was already fenced. */
  boolean fence(Actor by);

  /**
   * Returns those of these ids that no message has: none in the log, none that is parked, dead or
   * in the archive's tables.
   */
  Set<UUID> unknown(Collection<UUID> ids);
}
