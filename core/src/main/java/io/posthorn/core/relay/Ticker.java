package io.posthorn.core.relay;

/**
 * A steady clock that measures how much time passes, for timeouts and leases. Its values are never
 * compared with the database's clock.
 */
@FunctionalInterface
public interface Ticker {
  Ticker SYSTEM = System::nanoTime;

  long nanoTime();
}
