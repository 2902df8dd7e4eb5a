package io.posthorn.benchmarks;

import io.posthorn.cli.Posthorn;
import picocli.CommandLine.Command;

/** {@code posthorn bench}: measures Posthorn on this machine. */
@Command(
    name = "bench",
    description = "Measures Posthorn on this machine, against a PostgreSQL it starts itself.",
    subcommands = {
      DrainCommand.class,
      DeliverCommand.class,
      LatencyCommand.class,
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
  /** Behind {@code ./posthorn bench}: the posthorn command with the benchmarks in it. */
  public static void main(String[] args) {
    Posthorn.run(args, new Bench());
  }
}
