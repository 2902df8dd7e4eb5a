package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** A destination that acknowledges every message after the same short time, as a broker does. */
final class AfterAMoment implements Connector {
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final long nanos;

  AfterAMoment(Duration moment) {
    this.nanos = moment.toNanos();
  }

  @Override
  public void send(List<Message> messages, Answers answers) {
    var unused =
        timer.schedule(() -> answer(messages.size(), answers), nanos, TimeUnit.NANOSECONDS);
  }

  private static void answer(int messages, Answers answers) {
    for (int i = 0; i < messages; i++) {
      answers.answer(i, Outcome.SENT);
    }
  }

  @Override
  public boolean serves(String type) {
    return true;
  }

  @Override
  public void close() {
    timer.shutdown();
  }
}
