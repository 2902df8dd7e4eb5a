package io.posthorn.demo;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** The user's requests to stop: the first stops in an orderly way, the second at once. */
final class Stop {
  private final Semaphore news = new Semaphore(0);
  private volatile boolean wished;
  private volatile boolean wishedTwice;

  synchronized void wish() {
    wishedTwice = wished;
    wished = true;
    news.release();
  }

  boolean wished() {
    return wished;
  }

  boolean wishedTwice() {
    return wishedTwice;
  }

  /** Returns after this time, or earlier on a new request. */
  void pause(Duration time) {
    try {
      if (news.tryAcquire(time.toMillis(), TimeUnit.MILLISECONDS)) {
        news.drainPermits();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      wish();
      wish();
    }
  }
}
