package io.posthorn.core.bus;

/** What a subscription does with a message from a source. */
public enum Mode {
  /** Handles it at once, and acknowledges it when it is handled, parked or dead. */
  DIRECT,
  /** Stores it and acknowledges it at once. A relay hands it to the handler later. */
  DURABLE
}
