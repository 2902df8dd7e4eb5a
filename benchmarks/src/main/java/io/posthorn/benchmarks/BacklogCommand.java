package io.posthorn.benchmarks;

import io.posthorn.testservers.JavaProcess;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code backlog} benchmark: a relay with a small heap delivers a very large backlog. */
@Command(
    name = "backlog",
    description =
        "Deliver a very large backlog with a small heap, and check that every message arrives once and in order.",
    mixinStandardHelpOptions = true)
final class BacklogCommand implements Callable<Integer> {
  private static final String HEAP = "256m";

  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "10000000",
      description = "Number of messages in the backlog; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--rounds",
      defaultValue = "1",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Override
  public Integer call() {
    Series perSecond = new Series();
    Series heap = new Series();
    Series memory = new Series();
    double lost = 0;
    double duplicates = 0;
    double reordered = 0;
    try (Server server = new Server()) {
      Figures figures = new Figures().machine(server.machine(server.database()));
      for (int round = 1; round <= rounds; round++) {
        BacklogChild.Result result = round(server.database(), round);
        perSecond.add(result.perSecond());
        heap.add(result.heapMb());
        memory.add(result.memoryMb());
        lost += result.lost();
        duplicates += result.duplicates();
        reordered += result.reordered();
      }
      figures
          .add("messages", "messages in the backlog", messages)
          .add("drain_per_second", "messages per second", perSecond.median())
          .add("max_heap_mb", "most heap in use, MB (of -Xmx" + HEAP + ")", heap.median())
          .add("max_rss_mb", "most memory of the process, MB", memory.median())
          .add("lost", "lost", lost, Goal.atMost(0))
          .add("duplicates", "delivered twice", duplicates, Goal.atMost(0))
          .add("reordered", "out of the order of their key", reordered, Goal.atMost(0))
          .note("The relay runs in its own JVM, without warm-up, with -Xmx" + HEAP + ".");
      output.print(figures);
      return 0;
    }
  }

  private BacklogChild.Result round(Database database, int round) {
    // Registers the destination, so that messages wait for it from now on.
    new DrainRelay(database).start().close();
    output.progress("round %d of %d: writing %,d messages".formatted(round, rounds, messages));
    Backlog backlog = new Backlog(database);
    backlog.write(messages);
    backlog.rest();
    output.progress("round %d of %d: draining".formatted(round, rounds));
    long limit = 300L + messages / 2_000;
    try (JavaProcess child =
        JavaProcess.of(BacklogChild.class)
            .jvmOption("-Xmx" + HEAP)
            .args(database.url(), Integer.toString(messages), Long.toString(limit))
            .start()) {
      Duration patience = Duration.ofSeconds(limit + 60);
      String line = child.awaitLine(BacklogChild.Result::is, patience);
      child.awaitExit(Duration.ofMinutes(1));
      return BacklogChild.Result.of(line);
    }
  }
}
