package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.postgresql.PostgresqlStore;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The {@code pages} benchmark: the time of every query of a page or a command on a full database.
 */
@Command(
    name = "pages",
    description = "Measure every query that a page or a command sends, on a full database.",
    mixinStandardHelpOptions = true)
final class PagesCommand implements Callable<Integer> {
  private static final double GOAL_MS = 200;

  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "5000000",
      description = "Messages in the log; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--letters",
      defaultValue = "200000",
      description = "Dead letters, of 300 causes; default: ${DEFAULT-VALUE}.")
  private int letters;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(names = "--only", description = "Run only the queries whose name contains this text.")
  private String only = "";

  @Option(names = "--plans", description = "Show the plan of every statement on standard error.")
  private boolean plans;

  @Override
  public Integer call() {
    try (Server server = new Server()) {
      Database database = server.database();
      output.progress("writing %,d messages and %,d dead letters".formatted(messages, letters));
      new PagesData(database).load(messages, letters);
      Figures figures =
          new Figures()
              .machine(server.machine(database))
              .add("messages", "messages in the log", messages)
              .add("letters", "dead letters", letters);
      try (HikariDataSource pool = Server.pool(database, 1)) {
        ask(database, PostgresqlStore.on(pool), figures);
      }
      figures.note("Milliseconds, median of %d; the best in brackets.".formatted(rounds));
      output.print(figures);
      return 0;
    }
  }

  private void ask(Database database, OperatorStore store, Figures figures) {
    PagesQuestions questions = new PagesQuestions(messages, PagesQuestions.some(store));
    PlansOf explained = new PlansOf(database);
    for (Map.Entry<String, Consumer<OperatorStore>> entry : questions.all().entrySet()) {
      if (!entry.getKey().contains(only)) {
        continue;
      }
      Series took = new Series();
      for (int round = 0; round < rounds; round++) {
        long began = System.nanoTime();
        entry.getValue().accept(store);
        took.add((System.nanoTime() - began) / 1e6);
      }
      String key = entry.getKey().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_") + "_ms";
      figures.add(
          key,
          "%s (best %s)".formatted(entry.getKey(), Figures.number(took.best())),
          took.median(),
          Goal.atMost(GOAL_MS));
      if (plans || took.median() > GOAL_MS) {
        output.progress(entry.getKey() + "\n" + explained.question(entry.getValue()));
      }
    }
  }
}
