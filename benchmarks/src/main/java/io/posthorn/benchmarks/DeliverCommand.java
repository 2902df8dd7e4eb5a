package io.posthorn.benchmarks;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The {@code deliver} benchmark: delivery of a backlog to a real server, compared with that
 * server's client alone.
 */
@Command(
    name = "deliver",
    description = "Measure how fast a backlog is delivered to a real broker or endpoint.",
    mixinStandardHelpOptions = true)
final class DeliverCommand implements Callable<Integer> {
  @Mixin private final Output output = new Output();

  @Option(
      names = "--to",
      required = true,
      description = "Target to deliver to: kafka, rabbitmq or webhook.")
  private String to = "";

  @Option(
      names = "--messages",
      defaultValue = "200000",
      description = "Number of messages in the backlog; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--rate",
      defaultValue = "500",
      description =
          "Transactions per second while the latency is measured; default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description = "Seconds for which each round measures the latency; default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  private final Series deliver = new Series();
  private final Series feed = new Series();
  private final Series client = new Series();
  private final Series p50 = new Series();
  private final Series p99 = new Series();

  @Override
  public Integer call() {
    try (Target target = Target.named(to);
        Server server = new Server()) {
      Database database = server.database();
      Figures figures = new Figures().machine(server.machine(database));
      Backlog backlog = new Backlog(database);
      try (Connector connector = target.connector();
          DrainRelay relay = new DrainRelay(database, connector).start()) {
        for (int round = 0; round <= rounds; round++) {
          output.progress(
              round == 0
                  ? "warming up"
                  : "round %d of %d: %,d messages".formatted(round, rounds, messages));
          throughput(target, database, backlog, relay);
          if (round == 0) {
            List.of(deliver, feed, client).forEach(Series::forget);
          }
        }
      }
      output.progress("latency");
      for (int round = 1; round <= rounds; round++) {
        latency(target, server.database());
      }
      report(figures);
      output.print(figures);
      return 0;
    }
  }

  private void throughput(Target target, Database database, Backlog backlog, DrainRelay relay) {
    backlog.clear();
    relay.pause();
    backlog.write(messages);
    backlog.rest();
    List<Message> all = new ArrayList<>(messages);
    try (Target.Client plain = target.client()) {
      CountDownLatch fed = new CountDownLatch(messages);
      feed.add(
          CursorRead.perSecond(
              database,
              messages,
              page -> {
                for (Delivery delivery : page) {
                  plain.send(delivery.message(), fed::countDown);
                }
              },
              () -> await(fed)));
    }
    CursorRead.perSecond(
        database, messages, page -> page.forEach(one -> all.add(one.message())), () -> {});
    try (Target.Client plain = target.client()) {
      CountDownLatch acknowledged = new CountDownLatch(messages);
      long began = System.nanoTime();
      all.forEach(message -> plain.send(message, acknowledged::countDown));
      await(acknowledged);
      client.add(messages / ((System.nanoTime() - began) / 1e9));
    }
    all.clear();
    deliver.add(relay.drain(messages).perSecond());
  }

  /**
   * Measures from the return of commit until the receiver has acknowledged. The first fifth is
   * warm-up.
   */
  private void latency(Target target, Database database) {
    int count = seconds * rate;
    Load load = new Load(count + count / 5, rate);
    try (Connector connector = new Acknowledged(target.connector(), load::arrived);
        Application application = new Application(database, n -> {})) {
      application.relayInside(connector);
      load.run(List.of(application));
    }
    p50.add(load.percentile(50, count / 5));
    p99.add(load.percentile(99, count / 5));
  }

  private static void await(CountDownLatch latch) {
    try {
      if (!latch.await(5, TimeUnit.MINUTES)) {
        throw new BenchException(latch.getCount() + " messages were not acknowledged");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new BenchException("interrupted", e);
    }
  }

  private void report(Figures figures) {
    figures
        .add("deliver_per_second", "messages per second, delivered to " + to, deliver.median())
        .add("feed_per_second", "a plain cursor that feeds the same client", feed.median())
        .add("client_per_second", "the client alone", client.median())
        .add(
            "deliver_vs_feed",
            "delivered, relative to fed",
            deliver.against(feed),
            Goal.atLeast(0.85))
        .add("p50_us", "from commit to acknowledgement, p50 µs", p50.median())
        .add("p99_us", "p99", p99.median())
        .note("rounds: deliver " + deliver + "; feed " + feed + "; client " + client)
        .note("rounds: p50 " + p50 + "; p99 " + p99)
        .note(
            "%,d keys in strict order: a message is sent when the message before it is acknowledged. Feed and client do not wait per key."
                .formatted(Backlog.KEYS))
        .note("Latency at %,d transactions per second with one message each.".formatted(rate));
  }
}
