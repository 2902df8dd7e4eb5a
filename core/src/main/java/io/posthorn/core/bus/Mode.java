package io.posthorn.core.bus;

/** What a subscription does with a message that a source brings. */
public enum Mode {
  /** Handle it at once; acknowledge it when it is handled, parked or dead. */
  DIRECT,
  /** Store it and acknowledge it at once; a relay hands it to the handler. */
  DURABLE
}
