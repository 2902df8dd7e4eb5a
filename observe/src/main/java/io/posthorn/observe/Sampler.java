package io.posthorn.observe;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.operate.figures.Figures;
import io.posthorn.core.operate.figures.FiguresStore;
import io.posthorn.core.operate.retention.RetentionTimes;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the figures of the database every few seconds, while this program is the one that tells
 * them. What could not be read is not told: a figure that stands still looks like a healthy one.
 */
final class Sampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final FiguresStore store;
  private final RetentionTimes times;
  private final DatabaseMeters meters;
  private final ScheduledExecutorService thread;
  private boolean telling;
  private boolean failing;

  Sampler(FiguresStore store, RetentionTimes times, DatabaseMeters meters, Duration every) {
    this.store = store;
    this.times = times;
    this.meters = meters;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread created = new Thread(task, "posthorn-metrics");
              created.setDaemon(true);
              return created;
            });
    var unused =
        thread.scheduleWithFixedDelay(
            this::sample, every.toMillis(), every.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** From now on; the first figures come at once. */
  synchronized void begin() {
    telling = true;
    thread.execute(this::sample);
  }

  /** Another program tells them, or nobody. */
  synchronized void end() {
    telling = false;
    meters.clear();
  }

  private void sample() {
    if (!isTelling()) {
      return;
    }
    long began = System.nanoTime();
    try {
      Figures figures = store.figures(times);
      show(figures, Duration.ofNanos(System.nanoTime() - began));
    } catch (RuntimeException e) {
      failed(e);
    }
  }

  private synchronized boolean isTelling() {
    return telling;
  }

  /** It may have ended while the database was being asked. */
  private synchronized void show(Figures figures, Duration took) {
    if (telling) {
      meters.show(figures, took);
    }
    failing = false;
  }

  private synchronized void failed(RuntimeException e) {
    meters.clear();
    if (!failing) {
      LOG.warn(
          "The figures of the database could not be read, trying again: {}", Sanitiser.text(e));
    }
    failing = true;
  }

  /** Waits for a question that is being answered: whoever closes this closes the database next. */
  @Override
  public void close() {
    thread.shutdown();
    end();
    try {
      var unused = thread.awaitTermination(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
