package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Measures the throughput of one key. Each of its messages waits for the answer to the message
 * before it, so the answer time decides. The comparison is a plain loop that sends to the same
 * destination one by one.
 */
final class HotKey {
  private static final Duration MOMENT = Duration.ofMillis(1);

  private final Database database;
  private final int messages;

  HotKey(Database database, int messages) {
    this.database = database;
    this.messages = messages;
  }

  void measure(Figures figures, int rounds) {
    Series atOnce = new Series();
    Series slow = new Series();
    Series loop = new Series();
    for (int round = 0; round <= rounds; round++) {
      atOnce.add(relay(new AtOnce(), 4 * messages));
      slow.add(relay(new AfterAMoment(MOMENT), messages));
      loop.add(loop(messages));
      if (round == 0) {
        atOnce.forget();
        slow.forget();
        loop.forget();
      }
    }
    figures
        .add(
            "one_key_per_second", "one key, answered at once, messages per second", atOnce.median())
        .add(
            "one_key_1ms_per_second",
            "one key, answered after 1 ms, messages per second",
            slow.median())
        .add(
            "one_key_1ms_vs_loop",
            "… relative to a loop that sends one by one",
            slow.over(loop).median());
  }

  private double relay(Connector connector, int count) {
    Backlog backlog = new Backlog(database, 1);
    backlog.clear();
    try (DrainRelay relay = new DrainRelay(database, connector).start()) {
      relay.pause();
      backlog.write(count);
      backlog.rest();
      return relay.drain(count).perSecond();
    }
  }

  private static double loop(int count) {
    Message message = Message.of(Backlog.TYPE).json(new byte[Backlog.PAYLOAD]).build();
    Semaphore answered = new Semaphore(0);
    try (Connector connector = new AfterAMoment(MOMENT)) {
      long began = System.nanoTime();
      for (int i = 0; i < count; i++) {
        connector.send(List.of(message), (index, outcome) -> answered.release());
        answered.acquireUninterruptibly();
      }
      return count / ((System.nanoTime() - began) / 1e9);
    }
  }
}
