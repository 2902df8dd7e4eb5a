package io.posthorn.spring.autoconfigure;

import io.posthorn.core.bus.Bus;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the relay and the subscriptions, from before the web server accepts requests until after its
 * last request is done. Messages that requests add are therefore still delivered. It runs only
 * while the DataSource is open. Stopping waits for messages in flight.
 */
final class RelayLifecycle implements SmartLifecycle {
  /** The web server's phases are DEFAULT_PHASE - 1024 and - 2048; higher phases stop first. */
  static final int PHASE = DEFAULT_PHASE - 4096;

  private final Supplier<@Nullable Bus> buses;
  private volatile @Nullable Bus bus;

  /**
   * Runs the buses that the supplier makes.
   *
   * @param buses returns null if there is nothing to run
   */
  RelayLifecycle(Supplier<@Nullable Bus> buses) {
    this.buses = buses;
  }

  /** Starts a new bus each time: a closed bus cannot restart, but the application can. */
  @Override
  public synchronized void start() {
    if (bus == null) {
      Bus made = buses.get();
      bus = made == null ? null : made.start();
    }
  }

  @Override
  public synchronized void stop() {
    Bus running = bus;
    bus = null;
    if (running != null) {
      running.close();
    }
  }

  @Override
  public boolean isRunning() {
    return bus != null;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
