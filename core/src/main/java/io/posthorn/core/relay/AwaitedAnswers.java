package io.posthorn.core.relay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Consumer;

/** What was handed to the connector, until it is answered or has had its time. */
final class AwaitedAnswers {
  /** How a span ends whose attempt was under way when the lane was lost. */
  private static final String NOT_HEARD = "LANE_LOST";

  private static final int TIDY_ABOVE = 1_000;

  private final long timeout;
  private final Deque<TrackedDelivery> started = new ArrayDeque<>();
  private final Queue<TrackedDelivery> asides =
      new PriorityQueue<>((a, b) -> Long.compare(a.startedAt - b.startedAt, 0));

  private int tidyAbove = TIDY_ABOVE;

  AwaitedAnswers(Duration timeout) {
    this.timeout = timeout.toNanos();
  }

  void started(List<TrackedDelivery> round) {
    started.addAll(round);
    if (started.size() > tidyAbove) {
      // One that is not answered for long must not keep all that were sent after it in memory.
      started.removeIf(tracked -> tracked.state != TrackedDelivery.State.IN_FLIGHT);
      tidyAbove = Math.max(TIDY_ABOVE, 2 * started.size());
    }
  }

  /** How many are kept in mind: at most twice as many as were ever in flight at once, or so. */
  int size() {
    return started.size() + asides.size();
  }

  /** One that was started earlier and is waited for by itself from now on. */
  void setAside(TrackedDelivery aside) {
    asides.add(aside);
  }

  /** Tells which were not answered in time; returns when to look again. */
  long timeouts(long now, Consumer<TrackedDelivery> late) {
    return Math.min(timeouts(started, now, late), timeouts(asides, now, late));
  }

  /** The same for these, which stand in the order they were started. */
  private long timeouts(Queue<TrackedDelivery> inOrder, long now, Consumer<TrackedDelivery> late) {
    while (!inOrder.isEmpty()) {
      TrackedDelivery oldest = inOrder.peek();
      boolean awaited = oldest.state == TrackedDelivery.State.IN_FLIGHT;
      if (awaited && now - oldest.startedAt < timeout) {
        return oldest.startedAt + timeout;
      }
      inOrder.remove();
      if (awaited) {
        late.accept(oldest);
      }
    }
    return Long.MAX_VALUE;
  }

  /** Nobody hears any more what came of them. */
  void endSpans() {
    started.forEach(tracked -> tracked.span.failed(NOT_HEARD));
    asides.forEach(tracked -> tracked.span.failed(NOT_HEARD));
  }
}
