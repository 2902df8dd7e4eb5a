package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.postgresql.PostgresqlStore;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code idle} benchmark: what an idle relay costs the database. */
@Command(
    name = "idle",
    description = "Count the connections and queries of a relay that has nothing to do.",
    mixinStandardHelpOptions = true)
final class IdleCommand implements Callable<Integer> {
  private static final int CONNECTIONS = 6;

  @Mixin private final Output output = new Output();

  @Option(
      names = "--destinations",
      split = ",",
      defaultValue = "1,10,100",
      description = "Numbers of destinations of one relay; default: ${DEFAULT-VALUE}.")
  private int[] destinations = {};

  @Option(
      names = "--seconds",
      defaultValue = "20",
      description = "Seconds to count; default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--settle",
      defaultValue = "8",
      description =
          "Seconds to wait before counting, until the relay is idle; default: ${DEFAULT-VALUE}.")
  private int settle;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Number of rounds, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Override
  public Integer call() throws InterruptedException {
    try (Server server = new Server()) {
      Figures figures = new Figures().machine(server.machine(server.database()));
      for (int count : destinations) {
        measure(server, count, figures);
      }
      figures.note(
          "A query is a statement with its own round trip; ends of transactions are counted separately.");
      figures.note("Connections: the highest number in use at the same time.");
      output.print(figures);
      return 0;
    }
  }

  private void measure(Server server, int count, Figures figures) throws InterruptedException {
    Database database = server.database();
    Series connections = new Series();
    Series queries = new Series();
    Series ends = new Series();
    CountingDataSource counting = new CountingDataSource();
    try (HikariDataSource pool = Server.pool(database, CONNECTIONS)) {
      Relay.Builder builder = Relay.on(PostgresqlStore.on(counting.count(pool)), "bench", "bench");
      for (int i = 1; i <= count; i++) {
        builder.destination(
            Destination.named("bench-" + i, new AtOnce()).types("bench.type-" + i).build());
      }
      try (Relay relay = builder.build().start()) {
        Thread.sleep(settle * 1_000L);
        for (int round = 1; round <= rounds; round++) {
          output.progress(
              "%d destinations, round %d of %d: %d s".formatted(count, round, rounds, seconds));
          counting.reset();
          Thread.sleep(seconds * 1_000L);
          connections.add(counting.mostConnections());
          queries.add((double) counting.statements() / seconds);
          ends.add((double) counting.ends() / seconds);
        }
      }
    }
    figures
        .add(
            "connections_" + count,
            count + " destinations: connections",
            connections.median(),
            Goal.atMost(2))
        .add(
            "queries_per_second_" + count,
            count + " destinations: queries per second",
            queries.median(),
            Goal.atMost(2))
        .add(
            "commits_per_second_" + count,
            count + " destinations: commits per second",
            ends.median());
  }
}
