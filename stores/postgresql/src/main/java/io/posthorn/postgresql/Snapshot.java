package io.posthorn.postgresql;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A PostgreSQL snapshot, as {@code pg_current_snapshot()} prints it: {@code xmin:xmax:xip,xip}. */
final class Snapshot {
  private final String text;
  private final long xmax;
  private final long[] running;

  private Snapshot(String text, long xmax, long[] running) {
    this.text = text;
    this.xmax = xmax;
    this.running = running;
  }

  static Snapshot parse(String text) {
    String[] parts = text.split(":", 3);
    long[] running =
        parts[2].isEmpty()
            ? new long[0]
            : Arrays.stream(parts[2].split(",")).mapToLong(Long::parseLong).toArray();
    return new Snapshot(text, Long.parseLong(parts[1]), running);
  }

  String text() {
    return text;
  }

  long xmax() {
    return xmax;
  }

  /** Transactions that this snapshot saw running and the later one sees finished. */
  List<Long> finishedBy(Snapshot later) {
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
