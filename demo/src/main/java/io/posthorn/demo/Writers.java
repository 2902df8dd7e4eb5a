package io.posthorn.demo;

import io.posthorn.cli.CommandFailed;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The shop's customers: several threads that change orders at a steady rate. One change in ten is
 * rolled back. One in fifty is slow, so that other transactions begin later and commit earlier.
 */
final class Writers implements AutoCloseable {
  static final int COUNT = 4;

  private static final double DOOMED = 0.1;
  private static final double SLOW = 0.02;
  private static final Duration SLOWNESS = Duration.ofMillis(100);
  private static final long LONGEST_BACKLOG = Duration.ofSeconds(1).toNanos();

  private final Shop shop;
  private final int rate;
  private final int orders;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong committed = new AtomicLong();
  private final AtomicLong rolledBack = new AtomicLong();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean closed;

  Writers(Shop shop, int rate, int orders) {
    this.shop = shop;
    this.rate = rate;
    this.orders = orders;
  }

  void start() {
    for (int i = 1; i <= COUNT; i++) {
      Thread thread = new Thread(this::write, "writer-" + i);
      thread.setDaemon(true);
      thread.start();
      threads.add(thread);
    }
  }

  private void write() {
    long pause = Duration.ofSeconds(COUNT).toNanos() / rate;
    long next = System.nanoTime();
    try {
      while (!closed) {
        // After a delay, catches up at most one second of changes.
        next = Math.max(next + pause, System.nanoTime() - LONGEST_BACKLOG);
        while (!closed && next - System.nanoTime() > 0) {
          LockSupport.parkNanos(Math.min(next - System.nanoTime(), LONGEST_BACKLOG / 20));
        }
        if (!closed) {
          change();
        }
      }
    } catch (SQLException | RuntimeException e) {
      failure.compareAndSet(null, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void change() throws SQLException, InterruptedException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    boolean doomed = random.nextDouble() < DOOMED;
    Duration open = random.nextDouble() < SLOW ? SLOWNESS : Duration.ZERO;
    shop.change(Shop.order(1 + random.nextInt(orders)), doomed, open);
    (doomed ? rolledBack : committed).incrementAndGet();
  }

  long committed() {
    return committed.get();
  }

  long rolledBack() {
    return rolledBack.get();
  }

  void requireHealthy() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new CommandFailed(
          "the demo was stopped, because the shop can no longer write: " + cause.getMessage(),
          cause);
    }
  }

  /** Stops the writers, and returns when each has ended its last transaction. */
  @Override
  public void close() {
    closed = true;
    try {
      for (Thread thread : threads) {
        thread.join();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
