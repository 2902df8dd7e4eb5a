package io.posthorn.core.relay;

/**
 * Measures time that passes, for timeouts and self-fencing. Never compared with the database's
 * clock.
 */
@FunctionalInterface
public interface Ticker {
  Ticker SYSTEM = System::nanoTime;

  long nanoTime();
}
