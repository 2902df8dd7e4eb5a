package io.posthorn.core.relay;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.function.Consumer;

/** The messages handed to the connector, until they are answered or time out. */
final class AwaitedAnswers {
  /** The reason on the span of an attempt that was in flight when the lane was lost. */
  private static final String LANE_LOST = "LANE_LOST";

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
      // A message without an answer must not keep all messages that were sent after it in memory.
      started.removeIf(tracked -> tracked.state != TrackedDelivery.State.IN_FLIGHT);
      tidyAbove = Math.max(TIDY_ABOVE, 2 * started.size());
    }
  }

  /** How many are in memory: about twice as many, at most, as were ever in flight at once. */
  int size() {
    return started.size() + asides.size();
  }

  /** Waits for this message, which was sent earlier, apart from the others. */
  void setAside(TrackedDelivery aside) {
    asides.add(aside);
  }

  /** Passes on messages that were not answered in time; returns when the next timeout is due. */
  long timeouts(long now, Consumer<TrackedDelivery> late) {
    return Math.min(timeouts(started, now, late), timeouts(asides, now, late));
  }

  /** The same for these messages, which are in the order in which they were sent. */
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

  /** Ends the spans of all messages: their answers are no longer taken in. */
  void endSpans() {
    started.forEach(tracked -> tracked.span.failed(LANE_LOST));
    asides.forEach(tracked -> tracked.span.failed(LANE_LOST));
  }
}
