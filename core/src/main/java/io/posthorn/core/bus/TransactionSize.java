package io.posthorn.core.bus;

import java.time.Duration;

/**
 * The number of messages in one transaction: as many as take a fifth of a second. Quick handlers
 * then share a commit, and slow ones do not hold locks for long.
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

  /** Begins with one message, for callers with a timeout that a large first batch could exceed. */
  static TransactionSize careful(int batch) {
    return new TransactionSize(batch, 1);
  }

  int size() {
    return size;
  }

  /**
   * Learns from a transaction: this number of messages took this time. Many threads call it; it is
   * enough that the last call wins.
   */
  void took(int messages, long nanos) {
    double fitting = MOST * messages / Math.max(1, nanos);
    // It grows step by step and shrinks at once.
    size = (int) Math.max(1, Math.min(Math.min(fitting, size * 2.0), batch));
  }
}
