package io.posthorn.testkit;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Work that runs beside the test, mostly to be seen waiting. */
final class Background {
  private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

  private final FutureTask<Object> task;

  private Background(Work work) {
    this.task =
        new FutureTask<>(
            () -> {
              call(work);
              return "done";
            });
    Thread thread = new Thread(task, "background");
    thread.setDaemon(true);
    thread.start();
  }

  private static void call(Work work) throws Exception {
    try {
      work.run();
    } catch (Exception | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  static Background run(Work work) {
    return new Background(work);
  }

  /** Returns when it waits for a lock in the database; fails if it ends instead. */
  Background awaitWaiting(TestDatabase database) {
    await("something to wait for a lock", () -> task.isDone() || database.waitingForLocks() > 0);
    if (task.isDone()) {
      throw new AssertionError("it ended and did not wait");
    }
    return this;
  }

  /** Returns when it has ended; throws what it threw. */
  void join() throws Throwable {
    try {
      task.get(20, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() == null ? e : e.getCause();
    } catch (TimeoutException e) {
      throw new AssertionError("it did not end", e);
    }
  }

  static void await(String what, BooleanSupplier condition) {
    long until = System.nanoTime() + PATIENCE;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - until > 0) {
        throw new AssertionError("waited in vain for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  /** What it does. */
  @FunctionalInterface
  interface Work {
    void run() throws Throwable;
  }
}
