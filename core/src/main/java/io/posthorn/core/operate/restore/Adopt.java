package io.posthorn.core.operate.restore;

/**
 * What to do with the messages that a restored or copied database has not delivered. There is no
 * default, because the wrong choice sends everything twice or not at all.
 */
public enum Adopt {
  /**
   * They are delivered from this database. Choose this if the original is gone and this database
   * takes its place.
   */
  SEND_UNDELIVERED,

  /**
   * They are not sent from this database. Choose this for a copy, when the original delivers them.
   * Messages in the log count as delivered; parked messages become dead letters for a person to
   * decide about.
   */
  AS_SENT,

  /**
   * Only the names of the environment and the server change. Choose this for a database whose
   * transaction ids continue where they were, as after pg_upgrade.
   */
  SAME_HISTORY
}
