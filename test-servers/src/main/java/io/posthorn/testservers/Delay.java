package io.posthorn.testservers;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Holds each chunk back for a time, or until this fault is replaced. */
final class Delay implements Fault {
  private final CountDownLatch replaced = new CountDownLatch(1);
  private final long nanos;

  private Delay(long nanos) {
    this.nanos = nanos;
  }

  static Delay of(Duration delay) {
    return new Delay(delay.toNanos());
  }

  static Delay forever() {
    return new Delay(Long.MAX_VALUE);
  }

  @Override
  public boolean carry(ProxyConnection connection, Direction direction, byte[] chunk)
      throws IOException, InterruptedException {
    if (replaced.await(nanos, TimeUnit.NANOSECONDS)) {
      return false;
    }
    connection.forward(direction, chunk);
    return true;
  }

  @Override
  public void replaced() {
    replaced.countDown();
  }
}
