package io.posthorn.core.operate.restore;

/**
 * What becomes of the messages that a restored or copied database has not delivered. There is no
 * default: the wrong one sends everything twice, or not at all.
 */
public enum Adopt {
  /** They are delivered from here: this database takes the place of the original, which is gone. */
  SEND_UNDELIVERED,

  /**
   * Nothing of before is sent from here: this is a copy, and the original sends it. What stands in
   * the log counts as delivered; what is parked becomes dead letters, which wait for a person.
   */
  AS_SENT,

  /**
   * Nothing changes but the names: for a database whose transaction ids go on where they were, as
   * after pg_upgrade.
   */
  SAME_HISTORY
}
