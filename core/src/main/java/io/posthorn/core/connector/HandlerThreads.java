package io.posthorn.core.connector;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that handlers run on: a fixed number of daemon threads with one name and a number.
 */
public final class HandlerThreads {
  /** The answer for a message whose handler can no longer be started. */
  public static final Outcome CLOSED =
      Outcome.unavailable(Reason.of(Reason.UNSERVED, "the handlers are closed"));

  private static final List<Finding> WELL = List.of(Finding.value("handlers", "in this program"));

  private final ExecutorService pool;

  /**
   * Creates the pool.
   *
   * @param name what the threads are called, followed by {@code -1}, {@code -2} and so on
   * @param factory makes the threads, for example virtual ones
   */
  public HandlerThreads(String name, int count, ThreadFactory factory) {
    AtomicInteger number = new AtomicInteger();
    this.pool =
        Executors.newFixedThreadPool(
            count,
            task -> {
              Thread thread = factory.newThread(task);
              thread.setName(name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  /**
   * Always finds the handlers well, because they cannot be looked at from outside. So a message
   * that fails with no other message to compare it with is given up after its time limit.
   */
  public static List<Finding> check() {
    return WELL;
  }

  /** Runs the task on one of the threads; false if they are closed. */
  public boolean run(Runnable task) {
    try {
      pool.execute(task);
      return true;
    } catch (RejectedExecutionException closed) {
      return false;
    }
  }

  /** Accepts no more tasks. Tasks that are running or waiting still finish. */
  public void close() {
    pool.shutdown();
  }

  /** Waits for the tasks to finish, and then interrupts those that have not. */
  public void awaitEnd(Duration most) throws InterruptedException {
    if (!pool.awaitTermination(most.toMillis(), TimeUnit.MILLISECONDS)) {
      pool.shutdownNow();
    }
  }
}
