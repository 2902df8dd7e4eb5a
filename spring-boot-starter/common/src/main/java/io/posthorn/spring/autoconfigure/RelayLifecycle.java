package io.posthorn.spring.autoconfigure;

import io.posthorn.core.bus.Bus;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the relay and the subscriptions: from before the web server takes requests until after the
 * last of them is done, so that what they add still finds it, and always while the DataSource is
 * open. Stopping waits for what is on its way.
 */
final class RelayLifecycle implements SmartLifecycle {
  /** The web server's are DEFAULT_PHASE - 1024 and - 2048; later phases stop sooner. */
  static final int PHASE = DEFAULT_PHASE - 4096;

  private final Supplier<@Nullable Bus> buses;
  private volatile @Nullable Bus bus;

  /**
   * Starts what these make.
   *
   * @param buses null if there is nothing to run
   */
  RelayLifecycle(Supplier<@Nullable Bus> buses) {
    this.buses = buses;
  }

  /** A bus that was closed does not start again, but the application may: so it gets another. */
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
