package io.posthorn.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.DoubleSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The {@code parked} benchmark: claims and settles after very many parked messages. */
@Command(
    name = "parked",
    description =
        "Measure what claims and settles cost after very many messages were parked and delivered, while another session holds a snapshot.",
    mixinStandardHelpOptions = true)
final class ParkedCommand implements Callable<Integer> {
  /** Number of messages that one measured call settles. All are due. */
  private static final int PAGE = 100;

  @Mixin private final Output output = new Output();

  @Option(
      names = "--messages",
      defaultValue = "1000000",
      description = "Number of messages to park and deliver; default: ${DEFAULT-VALUE}.")
  private int messages;

  @Option(
      names = "--at-once",
      defaultValue = "2000",
      description = "Number of messages parked at the same time; default: ${DEFAULT-VALUE}.")
  private int atOnce;

  @Option(
      names = "--rounds",
      defaultValue = "40",
      description =
          "Number of measured calls, of which the median counts; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(names = "--writes", description = "The session with the snapshot has also written a row.")
  private boolean writes;

  private record Costs(double look, double probe, double claim, double settle) {
    @Override
    public String toString() {
      return "look %,.0f µs, probe %,.0f µs, claim of %d %,.0f µs, settle %,.0f µs"
          .formatted(look, probe, PAGE, claim, settle);
    }
  }

  @Override
  public Integer call() {
    try (Server server = new Server()) {
      Database database = server.database();
      Figures figures = new Figures().machine(server.machine(database));
      try (HikariDataSource pool = Server.pool(database, 2)) {
        ParkedLane lane = new ParkedLane(database, pool);
        costs(lane);
        Costs fresh = costs(lane);
        output.progress("before: " + fresh);
        try (HeldSnapshot held = new HeldSnapshot(database, writes)) {
          Costs after = comeAndGo(lane, fresh);
          report(figures, fresh, after);
        }
      }
      output.print(figures);
      return 0;
    }
  }

  private Costs comeAndGo(ParkedLane lane, Costs fresh) {
    Costs costs = fresh;
    int gone = 0;
    int step = Math.max(1, messages / 4);
    while (gone < messages) {
      int until = Math.min(messages, gone + step);
      while (gone < until) {
        int some = Math.min(atOnce, until - gone);
        lane.park(some);
        lane.drain(some);
        gone += some;
      }
      costs = costs(lane);
      output.progress("after %,d messages: %s".formatted(gone, costs));
    }
    return costs;
  }

  private Costs costs(ParkedLane lane) {
    double look = median(lane::look);
    double probe = median(lane::probe);
    List<Double> claims = new ArrayList<>();
    double settle =
        median(
            () -> {
              lane.park(PAGE);
              ParkedLane.Took took = lane.page();
              lane.drain(PAGE - took.messages());
              claims.add(took.claim());
              return took.settle();
            });
    return new Costs(
        look, probe, median(claims.stream().mapToDouble(claim -> claim).toArray()), settle);
  }

  private double median(DoubleSupplier call) {
    double[] taken = new double[rounds];
    for (int i = 0; i < rounds; i++) {
      taken[i] = call.getAsDouble();
    }
    return median(taken);
  }

  private static double median(double[] values) {
    Arrays.sort(values);
    return values[values.length / 2];
  }

  private void report(Figures figures, Costs fresh, Costs after) {
    figures
        .add("messages", "messages parked and delivered", messages)
        .add("look_us_fresh", "a look at the lane before, µs", fresh.look)
        .add("look_us", "after", after.look)
        .add("look_ratio", "as a multiple", after.look / fresh.look, Goal.atMost(2))
        .add("probe_us_fresh", "a probe for work before, µs", fresh.probe)
        .add("probe_us", "after", after.probe)
        .add("probe_ratio", "as a multiple", after.probe / fresh.probe, Goal.atMost(2))
        .add("claim_us_fresh", "a claim of %d parked before, µs".formatted(PAGE), fresh.claim)
        .add("claim_us", "after", after.claim)
        .add("claim_ratio", "as a multiple", after.claim / fresh.claim, Goal.atMost(2))
        .add("settle_us_fresh", "a settle of them before, µs", fresh.settle)
        .add("settle_us", "after", after.settle)
        .add("settle_ratio", "as a multiple", after.settle / fresh.settle, Goal.atMost(2))
        .note(
            "%,d messages were parked and delivered, %,d at a time, while a transaction held an older snapshot%s. Half of them had one key, a quarter had one of a thousand keys, and one more message failed all the time. Medians of %d calls."
                .formatted(messages, atOnce, writes ? " and had written" : "", rounds));
  }
}
