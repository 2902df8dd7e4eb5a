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
 * Reads the figures of the database every few seconds, while this program is the one that reports
 * them. If reading fails, their series disappear, because stale figures would look like healthy
 * ones.
 */
final class Sampler implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sampler.class);
  private static final Duration CLOSING = Duration.ofSeconds(5);

  private final FiguresStore store;
  private final RetentionTimes times;
  private final DatabaseMeters meters;
  private final ScheduledExecutorService thread;
  private boolean reporting;
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

  /** Starts reporting, with the first figures at once. */
  synchronized void begin() {
    reporting = true;
    thread.execute(this::sample);
  }

  /** Stops reporting: another program reports the figures, or none does. */
  synchronized void end() {
    reporting = false;
    meters.clear();
  }

  private void sample() {
    if (!isReporting()) {
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

  private synchronized boolean isReporting() {
    return reporting;
  }

  /** Shows the figures, unless reporting ended while they were being read. */
  private synchronized void show(Figures figures, Duration took) {
    if (reporting) {
      meters.show(figures, took);
    }
    failing = false;
  }

  private synchronized void failed(RuntimeException e) {
    meters.clear();
    if (!failing) {
      LOG.warn(
          "The figures of the database could not be read; the next sample retries: {}",
          Sanitiser.text(e));
    }
    failing = true;
  }

  /** Waits for a running query, because the caller usually closes the database next. */
  @Override
  public void close() {
    thread.shutdown();
    end();
    try {
      var unused = thread.awaitTermination(CLOSING.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
