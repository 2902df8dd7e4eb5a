package io.posthorn.core.restore;

/** What becomes of the messages that a restored or copied database has not delivered. */
public enum Adopt {
  /** They are delivered from here. */
  AS_UNDELIVERED,

  /** They count as delivered, by whoever wrote or sent them before. */
  AS_SENT,

  /**
   * Nothing changes but the names: for a database whose transaction ids go on where they were, as
   * after pg_upgrade.
   */
  SAME_HISTORY
}
