package io.posthorn.benchmarks;

import io.posthorn.core.message.Message;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions with one message each on a fixed schedule that waits for nothing, so delays of
 * the machine count. Records when each message was added, committed and received.
 */
final class Load {
  private static final int WRITERS = 8;

  private final IntFunction<Message> message;
  private final long[] began;
  private final long[] committed;
  private final long[] arrived;
  private final AtomicInteger missing;
  private final AtomicInteger next = new AtomicInteger();
  private final long pause;
  private volatile @Nullable Throwable failure;

  /** The application: what it does in a transaction and right after the commit. */
  interface Instance {
    DataSource dataSource();

    void add(Connection tx, Message message) throws SQLException;

    void committed(int n);
  }

  Load(int messages, int perSecond) {
    this(messages, perSecond, Writers::message);
  }

  /**
   * @param message creates message n
   */
  Load(int messages, int perSecond, IntFunction<Message> message) {
    this.message = message;
    this.began = new long[messages];
    this.committed = new long[messages];
    this.arrived = new long[messages];
    this.missing = new AtomicInteger(messages);
    this.pause = 1_000_000_000L / perSecond;
  }

  /** Records the arrival of message n. Only the first arrival counts. */
  void arrived(int n) {
    if (arrived[n] == 0) {
      arrived[n] = System.nanoTime();
      missing.decrementAndGet();
    }
  }

  /** Runs the whole load. The writers are distributed over the instances. */
  void run(List<? extends Instance> instances) {
    long start = System.nanoTime() + 100_000_000L;
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Instance instance = instances.get(i % instances.size());
      Thread writer = new Thread(() -> write(instance, start), "bench-writer-" + i);
      writer.start();
      writers.add(writer);
    }
    try {
      for (Thread writer : writers) {
        writer.join();
      }
      for (int i = 0; i < 3_000 && missing.get() > 0; i++) {
        Thread.sleep(10);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    }
    Throwable why = failure;
    if (why != null) {
      throw new BenchException("a writer failed", why);
    }
    if (missing.get() > 0) {
      throw new BenchException(missing.get() + " messages did not arrive: " + overdue());
    }
  }

  /**
   * Describes the missing messages. Their commit times show whether only they are missing, or
   * everything stopped.
   */
  private String overdue() {
    long now = System.nanoTime();
    return missing().stream()
        .map(n -> "n = %d, committed %.1f s ago".formatted(n, (now - committed[n]) / 1e9))
        .collect(Collectors.joining("; "));
  }

  /** Returns the numbers of the first ten messages that have not arrived. */
  List<Integer> missing() {
    return IntStream.range(0, arrived.length)
        .filter(n -> arrived[n] == 0)
        .limit(10)
        .boxed()
        .toList();
  }

  private void write(Instance instance, long start) {
    try (Connection connection = instance.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (int n = next.getAndIncrement(); n < committed.length; n = next.getAndIncrement()) {
        await(start + n * pause);
        Message added = message.apply(n);
        began[n] = System.nanoTime();
        instance.add(connection, added);
        connection.commit();
        committed[n] = System.nanoTime();
        instance.committed(n);
      }
    } catch (SQLException | RuntimeException e) {
      failure = e;
    }
  }

  private static void await(long moment) {
    for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /**
   * Returns a percentile of the time from commit to arrival, in microseconds. The time is 0 if the
   * message arrived before commit had returned to its writer.
   *
   * @param skipped number of messages at the beginning that do not count
   */
  double percentile(double percent, int skipped) {
    return percentile(percent, skipped, n -> true);
  }

  /** The same for some of the messages. */
  double percentile(double percent, int skipped, IntPredicate which) {
    return percentile(percent, skipped, committed, arrived, which);
  }

  /**
   * Returns a percentile of the time that a transaction took its writer, from add to the return of
   * commit.
   */
  double transactionPercentile(double percent, int skipped) {
    return percentile(percent, skipped, began, committed, n -> true);
  }

  private static double percentile(
      double percent, int skipped, long[] from, long[] to, IntPredicate which) {
    long[] took =
        IntStream.range(skipped, from.length)
            .filter(which)
            .mapToLong(n -> Math.max(0, to[n] - from[n]))
            .sorted()
            .toArray();
    int index = (int) Math.ceil(percent / 100 * took.length) - 1;
    return took[Math.max(0, index)] / 1e3;
  }
}
