package io.posthorn.core.bus;

import java.time.Duration;

/**
 * How many messages go into one transaction: as many as take a fifth of a second, so that quick
 * handlers share a commit and slow ones hold no locks for long.
 */
final class TransactionSize {
  private static final int FIRST = 8;
  private static final double MOST = Duration.ofMillis(200).toNanos();

  private final int batch;
  private volatile int size;

  TransactionSize(int batch) {
    this(batch, FIRST);
  }

  private TransactionSize(int batch, int first) {
    this.batch = batch;
    this.size = Math.min(first, batch);
  }

  /** One that begins with single messages, where too many at first would be too late at the end. */
  static TransactionSize careful(int batch) {
    return new TransactionSize(batch, 1);
  }

  int size() {
    return size;
  }

  /** So many messages took so long; asked by many threads, where the last word is good enough. */
  void took(int messages, long nanos) {
    double fitting = MOST * messages / Math.max(1, nanos);
    // Grows step by step, shrinks at once.
    size = (int) Math.max(1, Math.min(Math.min(fitting, size * 2.0), batch));
  }
}
