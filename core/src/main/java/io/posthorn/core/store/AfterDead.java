package io.posthorn.core.store;

/** What happens to the later messages of a key when one of its messages becomes a dead letter. */
public enum AfterDead {
  /** The later messages are delivered without it. */
  CONTINUE,
  /** The later messages wait until a person decides about the dead letter. */
  HOLD
}
