package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of a lane's thread, in order. The lane's own thread uses a plain queue, so that a
 * connector that answers at once costs no synchronisation.
 */
final class Mailbox {
  private final Queue<Runnable> fromOthers = new ConcurrentLinkedQueue<>();
  private final Deque<Runnable> own = new ArrayDeque<>();
  private final AtomicBoolean waiting = new AtomicBoolean();
  private volatile @Nullable Thread owner;

  void ownedBy(Thread thread) {
    owner = thread;
  }

  void put(Runnable task) {
    Thread thread = owner;
    if (thread == Thread.currentThread()) {
      own.add(task);
    } else {
      fromOthers.add(task);
      // A burst of answers costs one system call instead of one for each answer.
      if (waiting.get() && waiting.compareAndSet(true, false)) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Runs all tasks; returns true if there were any. */
  boolean drain() {
    boolean any = false;
    for (Runnable task = next(); task != null; task = next()) {
      task.run();
      any = true;
    }
    return any;
  }

  private @Nullable Runnable next() {
    Runnable task = own.poll();
    return task == null ? fromOthers.poll() : task;
  }

  /** Waits for a task, at most for this time. May return early. */
  void await(long nanos) {
    if (nanos <= 0 || !own.isEmpty()) {
      return;
    }
    // Set before the last check: a thread that adds a task after the check sees that it must
    // unpark.
    waiting.set(true);
    if (fromOthers.isEmpty()) {
      LockSupport.parkNanos(this, nanos);
    }
    waiting.set(false);
  }
}
