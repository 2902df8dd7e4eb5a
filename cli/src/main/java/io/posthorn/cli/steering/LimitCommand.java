package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Limits the rate of a destination. */
@Command(
    name = "limit",
    description = {
      "Limit how many messages per second a destination gets.",
      "The limit stays until you change it; without --rate, the configured rate applies again."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn destinations limit mail --rate 50 --why \"the receiver is overloaded\"")
final class LimitCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Send up to N messages per second; without it, the configured rate applies.")
  private @Nullable Double rate;

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    boolean done = steering.limit(destination, rate, reason.by());
    answer.value(Map.of("done", done));
    String now = rate == null ? "as configured" : rate + " per second";
    answer.say("the rate of " + destination + (done ? " is now " : " was already ") + now);
  }
}
