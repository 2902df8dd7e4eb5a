package io.posthorn.core.bus;

/** What a subscription does with a message of a type that it has no handler for. */
public enum UnknownTypes {
  /** Nothing: whoever shares the address with others wants no more than its own types. */
  IGNORE,
  /** It waits for a program that has a handler, and is a dead letter after the grace. */
  PARK,
  /** It is a dead letter at once. */
  DEAD
}
