package io.posthorn.spring;

import io.posthorn.core.store.Start;

/** Where a destination, a consumer or a broker's group begins that has never read. */
public enum StartAt {
  /** With what is added or sent from now on. */
  NOW,
  /** With the oldest message there is. */
  EARLIEST;

  /** The same for what reads the log. */
  public Start start() {
    return this == NOW ? Start.NOW : Start.EARLIEST;
  }
}
