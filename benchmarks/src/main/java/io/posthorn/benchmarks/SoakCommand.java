package io.posthorn.benchmarks;

import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The {@code soak} benchmark: checks that memory and tables do not grow over a long time of mixed
 * work.
 */
@Command(
    name = "soak",
    description = "Check that memory and tables do not grow, for as long as you like.",
    mixinStandardHelpOptions = true)
final class SoakCommand implements Callable<Integer> {
  private static final int SAMPLES = 24;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String REQUEUED = "SELECT count(*) FROM posthorn_dead";

  @Mixin private final Output output = new Output();

  @Option(
      names = "--minutes",
      defaultValue = "5",
      description = "Minutes to run; default: ${DEFAULT-VALUE}.")
  private double minutes;

  @Option(
      names = "--rate",
      defaultValue = "3000",
      description =
          "Messages per second into the log. As many come from a broker directly, and a quarter as many from a broker that are stored first; default: ${DEFAULT-VALUE}.")
  private double rate;

  @Override
  public Integer call() throws InterruptedException {
    try (Server server = Server.vacuuming()) {
      Database database = server.database();
      Figures figures = new Figures().machine(server.machine(database));
      try (SoakLoad load = new SoakLoad(database, rate).start()) {
        SoakSamples samples = new SoakSamples(database);
        long began = System.nanoTime();
        for (int i = 1; i <= SAMPLES; i++) {
          long until = began + (long) (minutes * 60e9 / SAMPLES * i);
          do {
            load.rescue();
            Thread.sleep(Math.max(1, Math.min(1_000, (until - System.nanoTime()) / 1_000_000)));
          } while (System.nanoTime() - until < 0);
          samples.take(load.messages());
          output.progress("sample %d of %d: %s".formatted(i, SAMPLES, samples.last()));
        }
        double took = (System.nanoTime() - began) / 1e9;
        boolean drained = load.drain(PATIENCE);
        figures
            .add("messages", "messages", (double) load.messages())
            .add("messages_per_second", "messages per second", load.messages() / took)
            .add(
                "left",
                "unfinished %d s later".formatted(PATIENCE.toSeconds()),
                drained ? 0 : (double) load.left(),
                Goal.atMost(0));
        samples.report(figures);
      }
      figures
          .add("letters", "dead letters that were requeued", database.number(REQUEUED))
          .note(
              "One program: an outbox, a relay, a direct and a durable consumer with a broker in memory.")
          .note(
              "One message in a hundred fails and is retried. Dead letters are requeued each second.");
      output.print(figures);
      return 0;
    }
  }
}
