package io.posthorn.benchmarks;

import io.posthorn.core.observe.Event;
import io.posthorn.core.observe.Observer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Counts settled messages, and records when the last expected one was settled. */
final class ArrivalCounter implements Observer {
  private final CountDownLatch taken = new CountDownLatch(1);
  private CountDownLatch all = new CountDownLatch(0);
  private long missing;
  private long ended;

  synchronized void expect(long messages) {
    missing = messages;
    all = new CountDownLatch(1);
  }

  @Override
  public synchronized void on(Event event) {
    if (event instanceof Event.LaneTaken) {
      taken.countDown();
    } else if (event instanceof Event.Sent sent) {
      missing -= sent.deliveries().size();
      if (missing == 0) {
        ended = System.nanoTime();
        all.countDown();
      }
    }
  }

  void awaitLane() {
    await(taken, Duration.ofMinutes(1));
  }

  /** Waits for the last message, and returns when it was settled. */
  long awaitAll(Duration limit) {
    CountDownLatch latch;
    synchronized (this) {
      latch = all;
    }
    await(latch, limit);
    synchronized (this) {
      if (missing != 0) {
        throw new BenchException(-missing + " messages more than expected were delivered");
      }
      return ended;
    }
  }

  private void await(CountDownLatch latch, Duration limit) {
    try {
      if (!latch.await(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        synchronized (this) {
          throw new BenchException(
              "after " + limit.toSeconds() + " s " + missing + " messages were not delivered");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    }
  }
}
