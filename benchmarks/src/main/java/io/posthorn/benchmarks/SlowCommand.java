package io.posthorn.benchmarks;

import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.IntPredicate;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code slow} benchmark: what slow answers to some messages cost all others. */
@Command(
    name = "slow",
    description = "Measure how long other keys wait while some messages get slow answers.",
    mixinStandardHelpOptions = true)
final class SlowCommand implements Callable<Integer> {
  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "10000",
      description = "Messages in each round, with and without; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--rate",
      defaultValue = "500",
      description = "Transactions per second; default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--every",
      defaultValue = "100",
      description = "One message in this many is answered slowly; default: ${DEFAULT-VALUE}.")
  private int every;

  @Option(
      names = "--answer",
      defaultValue = "2000",
      description = "Milliseconds after which these are answered; default: ${DEFAULT-VALUE}.")
  private int millis;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  /** The measurements with or without slow answers. */
  private static final class Way {
    final Series p50 = new Series();
    final Series p99 = new Series();
    final Series longest = new Series();
  }

  @Override
  public Integer call() {
    Way without = new Way();
    Way with = new Way();
    try (Server server = new Server()) {
      Figures figures = new Figures().machine(server.machine(server.database()));
      for (int round = 1; round <= rounds; round++) {
        output.progress(
            "round %d of %d: twice %,d messages, %,d per second"
                .formatted(round, rounds, messages, rate));
        run(server, without, n -> false);
        run(server, with, this::isSlow);
      }
      report(figures, without, with);
      output.print(figures);
      return 0;
    }
  }

  private boolean isSlow(int n) {
    return n % every == 0;
  }

  /**
   * Messages that may be slow have keys of their own, so that none of the others waits for them.
   */
  private Message message(int n) {
    return isSlow(n) ? Writers.message(n, Backlog.KEYS + n) : Writers.message(n);
  }

  private void run(Server server, Way way, IntPredicate slow) {
    int warmUp = messages / 5;
    Load load = new Load(messages + warmUp, rate, this::message);
    try (Application application = new Application(server.database(), n -> {});
        SlowForSome receiver = new SlowForSome(load::arrived, slow, Duration.ofMillis(millis))) {
      application.relayInside(receiver);
      load.run(List.of(application));
    }
    IntPredicate others = n -> !isSlow(n);
    way.p50.add(load.percentile(50, warmUp, others));
    way.p99.add(load.percentile(99, warmUp, others));
    way.longest.add(load.percentile(100, warmUp, others));
  }

  private void report(Figures figures, Way without, Way with) {
    figures
        .add("p50_us", "others, no slow answers, p50 µs", without.p50.median())
        .add("p99_us", "p99", without.p99.median())
        .add("max_us", "longest", without.longest.median())
        .add("p50_us_slow", "others, beside slow answers, p50 µs", with.p50.median())
        .add("p99_us_slow", "p99", with.p99.median())
        .add("max_us_slow", "longest", with.longest.median())
        .add(
            "p99_ratio",
            "p99 beside slow answers, compared to none",
            with.p99.median() / without.p99.median(),
            Goal.atMost(2))
        .note("rounds, p99: without " + without.p99 + "; with " + with.p99)
        .note(
            "%,d transactions per second with one message each; one in %,d is answered after %,d ms, all others at once."
                .formatted(rate, every, millis))
        .note("Measured from the return of commit to the receiver, for all other messages.");
  }
}
