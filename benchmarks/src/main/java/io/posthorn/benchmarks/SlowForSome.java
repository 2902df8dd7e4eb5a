package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

/** A destination that acknowledges some messages late and all others at once. */
final class SlowForSome implements Connector {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final IntConsumer receiver;
  private final IntPredicate slow;
  private final long nanos;

  SlowForSome(IntConsumer receiver, IntPredicate slow, Duration answer) {
    this.receiver = receiver;
    this.slow = slow;
    this.nanos = answer.toNanos();
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    for (int i = 0; i < messages.size(); i++) {
      int n = Numbered.number(messages.get(i).payload());
      receiver.accept(n);
      if (slow.test(n)) {
        int index = i;
        var unused =
            timer.schedule(() -> answers.answer(index, Outcome.SENT), nanos, TimeUnit.NANOSECONDS);
      } else {
        answers.answer(i, Outcome.SENT);
      }
    }
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
