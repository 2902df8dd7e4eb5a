package io.posthorn.core.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * What is to be done on the thread of a lane, in order. Its own thread puts things into a plain
 * queue: a connector that answers at once costs no synchronisation.
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
      // One call of the system for a burst of answers, not one for each.
      if (waiting.get() && waiting.compareAndSet(true, false)) {
        LockSupport.unpark(thread);
      }
    }
  }

  /** Does all there is; true if there was anything. */
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

  /** Waits until something is put in, at most so long. May return early. */
  void await(long nanos) {
    if (nanos <= 0 || !own.isEmpty()) {
      return;
    }
    // Said before the last look, so that whoever puts something in after it sees that it must call.
    waiting.set(true);
    if (fromOthers.isEmpty()) {
      LockSupport.parkNanos(this, nanos);
    }
    waiting.set(false);
  }
}
