package io.posthorn.core.bus;

/** What a subscription does with a message of a type that it has no handler for. */
public enum UnknownTypes {
  /** Ignores it. Choose this if other consumers with other types share the address. */
  IGNORE,
  /** Parks it for a program with a handler; after the grace it becomes a dead letter. */
  PARK,
  /** Makes it a dead letter at once. */
  DEAD
}
