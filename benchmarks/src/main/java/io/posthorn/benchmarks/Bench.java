package io.posthorn.benchmarks;

import io.posthorn.cli.Posthorn;
import picocli.CommandLine.Command;

/** The {@code bench} commands: measure Posthorn on this machine. */
@Command(
    name = "bench",
    description = "Measure Posthorn on this machine, with a PostgreSQL that the benchmark starts.",
    subcommands = {
      DrainCommand.class,
      DeliverCommand.class,
      LatencyCommand.class,
      SlowCommand.class,
      BacklogCommand.class,
      IdleCommand.class,
      PagesCommand.class,
      RescueCommand.class,
      SoakCommand.class,
      HandleCommand.class,
      ParkedCommand.class
    },
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true)
public final class Bench {
  /** Runs the posthorn command with the benchmarks in it, for {@code ./posthorn bench}. */
  public static void main(String[] args) {
    Posthorn.run(args, new Bench());
  }
}
