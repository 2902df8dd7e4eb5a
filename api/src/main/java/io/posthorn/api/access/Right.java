package io.posthorn.api.access;

import java.util.Locale;

/** What somebody may do in one database. */
public enum Right {
  /** See states, figures, dead letters and the audit, without payloads. */
  VIEW,
  /** See payloads, all headers, and the texts of errors as they were stored. */
  READ_PAYLOADS,
  /**
   * Change the delivery of messages: pause, retry, requeue, discard. Correcting a payload also
   * needs {@link #READ_PAYLOADS}.
   */
  OPERATE,
  /** Remove destinations and routes, purge, adopt or fence a database, export the audit. */
  ADMINISTER,
  /** Add messages. */
  ADD;

  /** The right as people write it. */
  public String text() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
