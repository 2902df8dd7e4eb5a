package io.posthorn.benchmarks;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code handle} benchmark: what receipts cost a handler. */
@Command(
    name = "handle",
    description =
        "Measure how fast messages are handled with an inbox, compared with handling them without one.",
    mixinStandardHelpOptions = true)
final class HandleCommand implements Callable<Integer> {
  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "50000",
      description = "Messages in each round; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--threads",
      defaultValue = "2",
      description = "Threads of the subscription; default: ${DEFAULT-VALUE}.")
  private int threads;

  @Option(
      names = "--batch",
      defaultValue = "100",
      description = "Messages per transaction; default: ${DEFAULT-VALUE}.")
  private int batch;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Override
  public Integer call() {
    try (Server server = new Server()) {
      Database database = server.database();
      Figures figures = new Figures().machine(server.machine(database));
      try (HandleRounds handling = new HandleRounds(database, messages, threads, batch)) {
        output.progress("warming up");
        handling.round();
        handling.forget();
        for (int round = 1; round <= rounds; round++) {
          output.progress("round %d of %d: %,d messages".formatted(round, rounds, messages));
          handling.round();
        }
        report(figures, handling);
      }
      output.print(figures);
      return 0;
    }
  }

  private void report(Figures figures, HandleRounds handling) {
    double wanted = 3.0 * messages * (rounds + 1);
    figures
        .add("handled_per_second", "messages per second, with inbox", handling.handled.median())
        .add(
            "handled_per_second_unnumbered",
            "the same, if the sender sends no sequence numbers",
            handling.unnumbered.median())
        .add("plain_per_second", "a plain loop without inbox", handling.plain.median())
        .add(
            "handle_vs_plain",
            "with inbox, relative to without",
            handling.handled.against(handling.plain),
            Goal.atLeast(0.7))
        .add("lost", "messages without effect", wanted - handling.balance(), Goal.atMost(0))
        .note("rounds: handled " + handling.handled + "; plain " + handling.plain)
        .note("rounds: without sequences " + handling.unnumbered)
        .note(
            "One UPDATE by key for each message, %d threads, batches of %d with one commit each, messages from memory."
                .formatted(threads, batch));
  }
}
