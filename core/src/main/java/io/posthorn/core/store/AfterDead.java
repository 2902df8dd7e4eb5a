package io.posthorn.core.store;

/** What happens to the rest of a key when one of its messages is dead. */
public enum AfterDead {
  /** The rest goes on. */
  CONTINUE,
  /** The rest waits until a person acts. */
  HOLD
}
