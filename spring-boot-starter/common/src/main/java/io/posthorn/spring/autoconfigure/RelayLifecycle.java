package io.posthorn.spring.autoconfigure;

import io.posthorn.core.relay.Relay;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Runs the relay: from before the web server takes requests until after the last of them is done,
 * so that what they add still finds it, and always while the DataSource is open. Stopping waits for
 * what is on its way.
 */
final class RelayLifecycle implements SmartLifecycle {
  /** The web server's are DEFAULT_PHASE - 1024 and - 2048; later phases stop sooner. */
  static final int PHASE = DEFAULT_PHASE - 4096;

  private final Supplier<Relay> relays;
  private volatile @Nullable Relay relay;

  RelayLifecycle(Supplier<Relay> relays) {
    this.relays = relays;
  }

  /** A relay that was closed does not start again, but the application may: so it gets another. */
  @Override
  public synchronized void start() {
    if (relay == null) {
      relay = relays.get().start();
    }
  }

  @Override
  public synchronized void stop() {
    Relay running = relay;
    relay = null;
    if (running != null) {
      running.close();
    }
  }

  @Override
  public boolean isRunning() {
    return relay != null;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
