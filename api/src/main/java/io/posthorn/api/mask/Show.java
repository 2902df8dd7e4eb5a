package io.posthorn.api.mask;

/** What is shown of a masked value. */
public enum Show {
  /** Nothing. */
  HIDE,
  /** The last four characters, if the value has at least eight. */
  LAST_FOUR,
  /** A short hash: equal values look equal while this process runs. */
  HASH
}
