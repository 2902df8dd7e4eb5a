package io.posthorn.postgresql.lane;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/**
 * A PostgreSQL snapshot, as {@code pg_current_snapshot()} prints it: {@code xmin:xmax:xip,xip}.
 *
 * <p>PostgreSQL lists only running transactions that are older than the newest finished one; those
 * from {@code xmax} on count as running without being named. Some of them have begun and may have
 * drawn numbers before the snapshot. {@link #upTo} names them, too: the result sees exactly the
 * same transactions, and a transaction that it does not name had not begun.
 */
public final class Snapshot {
  /**
   * The most transactions that are named. A transaction with very many savepoints can exceed it.
   */
  private static final int MOST_NAMED = 1_000;

  private static final long WRAP = 1L << 32;

  /** The snapshot before the first transaction. */
  public static final Snapshot NOTHING = parse("1:1:");

  private final String text;
  private final long xmin;
  private final long xmax;
  private final long[] running;

  private Snapshot(String text, long xmin, long xmax, long[] running) {
    this.text = text;
    this.xmin = xmin;
    this.xmax = xmax;
    this.running = running;
  }

  public static Snapshot parse(String text) {
    String[] parts = text.split(":", 3);
    long[] running =
        parts[2].isEmpty()
            ? new long[0]
            : Arrays.stream(parts[2].split(",")).mapToLong(Long::parseLong).toArray();
    return new Snapshot(text, Long.parseLong(parts[0]), Long.parseLong(parts[1]), running);
  }

  /** Whether too many transactions have begun before {@code next} to name them. */
  boolean tooManyUpTo(long next) {
    return next - xmax > MOST_NAMED;
  }

  /**
   * Returns this snapshot with a name for every transaction below {@code next} that it does not
   * see.
   *
   * @param next an id that was not assigned when the snapshot was taken, or was just assigned to
   *     the transaction that took it
   */
  public Snapshot upTo(long next) {
    if (next <= xmax) {
      return this;
    }
    long[] all = LongStream.concat(Arrays.stream(running), LongStream.range(xmax, next)).toArray();
    String names = Arrays.stream(all).mapToObj(String::valueOf).collect(Collectors.joining(","));
    return new Snapshot(xmin + ":" + next + ":" + names, xmin, next, all);
  }

  /** Returns {@link #upTo} for an id of which only the lower half is known. */
  public Snapshot upToModulo(long next) {
    return upTo(xmax + Math.min(MOST_NAMED, Math.floorMod(next - xmax, WRAP)));
  }

  /** Returns the transactions that the snapshot names as running. */
  public List<Long> running() {
    return Arrays.stream(running).boxed().toList();
  }

  public boolean sees(long transaction) {
    return !isRunning(transaction);
  }

  public String text() {
    return text;
  }

  long xmax() {
    return xmax;
  }

  /**
   * Returns the transactions that this snapshot names as running and the later one sees as
   * finished.
   */
  public List<Long> finishedBy(Snapshot later) {
    List<Long> finished = new ArrayList<>();
    for (long xid : running) {
      if (!later.isRunning(xid)) {
        finished.add(xid);
      }
    }
    return finished;
  }

  private boolean isRunning(long xid) {
    // PostgreSQL prints them in ascending order.
    return xid >= xmax || Arrays.binarySearch(running, xid) >= 0;
  }

  @Override
  public String toString() {
    return text;
  }
}
