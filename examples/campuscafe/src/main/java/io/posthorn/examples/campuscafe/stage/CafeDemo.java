package io.posthorn.examples.campuscafe.stage;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.posthorn.cli.Posthorn;
import io.posthorn.cli.terminal.Signals;
import java.io.IOException;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.json.JsonMapper;

/**
 * The {@code demo} command: a shop of four services that you can break, beside one without an
 * outbox.
 */
@Command(
    name = "demo",
    description = {
      "Order coffee from four services, break them, and watch that nothing gets lost.",
      "",
      "Starts PostgreSQL, Kafka, a mail server, CampusCafe (order, stock, payment, notification: each a process with a database), and the same shop without an outbox. Prints the address of a page on which you place orders and break things. Ctrl-C ends and removes everything.",
      "",
      "'./posthorn demo --engine' shows the relays alone, in the terminal."
    })
public final class CafeDemo implements Callable<Integer> {
  private static final int HEADLESS_SECONDS = 60;

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "8090",
      description = "Port of the page on 127.0.0.1, 0 for a free one; default: ${DEFAULT-VALUE}.")
  private int port;

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "5",
      description = "Orders per second at the beginning, 0 to 50; default: ${DEFAULT-VALUE}.")
  private int rate;

  @Option(
      names = "--headless",
      description = "Serve no page; break one thing after the other, and print the result.")
  private boolean headless;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "How long to take orders with --headless; default: 60.")
  private @Nullable Integer seconds;

  @Option(names = "--json", description = "Print the result as JSON; implies --headless.")
  private boolean json;

  public static void main(String[] args) {
    // The services have logs of their own, which the page shows.
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    // The mail server's threads end with an exception when a client is killed.
    Thread.setDefaultUncaughtExceptionHandler(
        (thread, e) -> {
          if (!thread.getName().startsWith("smtp:")) {
            e.printStackTrace();
          }
        });
    Posthorn.run(args, new CafeDemo());
  }

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    require(rate >= 0 && rate <= 50, "--rate is " + rate + ": pass 0 to 50");
    require(seconds == null || seconds > 0, "--seconds is " + seconds + ": pass 1 or more");
    require(
        seconds == null || headless || json,
        "--seconds is for --headless: the page stays until Ctrl-C");
    CountDownLatch stop = new CountDownLatch(1);
    Signals.on("INT", stop::countDown);
    Signals.on("TERM", stop::countDown);
    long began = System.nanoTime();
    try (Cafe cafe = Cafe.open(this::progress);
        Show show = new Show(cafe)) {
      progress(
          "ready after %d s".formatted(Duration.ofNanos(System.nanoTime() - began).toSeconds()));
      return headless || json ? play(show) : serve(show, stop);
    }
  }

  private int play(Show show) throws SQLException, InterruptedException {
    int length = seconds == null ? HEADLESS_SECONDS : seconds;
    progress("breaking things for %d s …".formatted(length));
    Result result = new Script(show).play(Math.max(1, rate), Duration.ofSeconds(length));
    PrintWriter out = spec.commandLine().getOut();
    out.println(json ? new JsonMapper().writeValueAsString(result.json()) : result.table());
    return result.isClean() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private int serve(Show show, CountDownLatch stop) throws IOException, InterruptedException {
    try (PageServer page = new PageServer(show, port)) {
      show.customers().rate(rate);
      progress("");
      progress("  CampusCafe is open: " + page.url());
      progress("  Ctrl-C closes it.");
      stop.await();
      progress("closing …");
    }
    return ExitCode.OK;
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), otherwise);
    }
  }

  private void progress(String what) {
    spec.commandLine().getErr().println(what);
  }
}
