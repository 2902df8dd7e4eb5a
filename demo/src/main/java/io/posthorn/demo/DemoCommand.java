package io.posthorn.demo;

import io.posthorn.cli.Posthorn;
import io.posthorn.cli.terminal.Canvas;
import io.posthorn.cli.terminal.Signals;
import io.posthorn.cli.terminal.Terminal;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code demo} command: shows that killing relays loses and reorders nothing. */
@Command(
    name = "demo",
    description = {
      "Watch a shop's messages being delivered while relays are killed.",
      "",
      "Starts its own PostgreSQL, two relay processes, and a shop that changes orders and adds a message in the same transaction. Every few seconds, it kills one of the relays with -9. At the end, it compares the committed messages with the delivered ones, and removes everything it started. Exit code 1 if a message was lost, reordered, or delivered although it was rolled back."
    })
public final class DemoCommand implements Callable<Integer> {
  private static final int HEADLESS_SECONDS = 30;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "300",
      description = "Business transactions per second; default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--keys",
      paramLabel = "N",
      defaultValue = "50",
      description =
          "Number of orders, each with its own sequence of messages; default: ${DEFAULT-VALUE}.")
  private int keys;

  @Option(
      names = "--kill-every",
      paramLabel = "SECONDS",
      defaultValue = "6",
      description = "Seconds between two kills of a relay, 0 for none; default: ${DEFAULT-VALUE}.")
  private int killEvery;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Stop after N seconds; default: on Ctrl-C, or after 30 s with --headless.")
  private @Nullable Integer seconds;

  @Option(
      names = "--headless",
      description =
          "Show no picture, only the result. This is the default if the output is not a terminal.")
  private boolean headless;

  @Option(
      names = "--json",
      description = "Print the result as one JSON object; implies --headless.")
  private boolean json;

  @Option(
      names = "--engine",
      description = "This demo; without it, './posthorn demo' opens CampusCafe.")
  @SuppressWarnings("unused") // the start script reads it
  private boolean engine;

  /** Runs the posthorn command with the demo in it, for {@code ./posthorn demo}. */
  public static void main(String[] args) {
    Posthorn.run(args, new DemoCommand(), new DemoRelayCommand());
  }

  @Override
  public Integer call() throws IOException, SQLException {
    boolean live = !headless && !json && Terminal.isThere();
    DemoOptions options = options(live);
    DemoResult result = live ? live(options) : headless(options);
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? result.json() : result.table());
    return result.isClean() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private DemoOptions options(boolean live) {
    require(rate >= 1 && rate <= 100_000, "--rate is " + rate + ": pass 1 to 100000");
    require(keys >= 1 && keys <= 100_000, "--keys is " + keys + ": pass 1 to 100000");
    require(killEvery >= 0, "--kill-every is " + killEvery + ": pass 0 or more");
    int limit = seconds != null ? seconds : live ? 0 : HEADLESS_SECONDS;
    require(seconds == null || limit >= 1, "--seconds is " + limit + ": pass 1 or more");
    return new DemoOptions(
        rate, keys, Duration.ofSeconds(killEvery), Duration.ofSeconds(limit), live);
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private DemoResult headless(DemoOptions options) throws IOException, SQLException {
    try (Stage stage = new Stage(options, this::progress)) {
      Stop stop = stopOnSignals();
      progress("running for " + options.limit().toSeconds() + " s …");
      return new Demo(options, stage, stop, figures -> {}).run();
    }
  }

  private DemoResult live(DemoOptions options) throws IOException, SQLException {
    try (Stage stage = new Stage(options, this::progress)) {
      Stop stop = stopOnSignals();
      try (Terminal terminal = Terminal.open(stop::wish)) {
        return new Demo(
                options,
                stage,
                stop,
                figures -> {
                  Canvas canvas = terminal.canvas();
                  DemoScreen.draw(canvas, figures);
                  terminal.show(canvas);
                })
            .run();
      }
    }
  }

  private static Stop stopOnSignals() {
    Stop stop = new Stop();
    Signals.on("INT", stop::wish);
    Signals.on("TERM", stop::wish);
    return stop;
  }

  private void progress(String what) {
    spec.commandLine().getErr().println(what);
  }
}
