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

/** Change how many messages a second a destination gets. */
@Command(name = "limit", description = "Change how many messages a second a destination gets.")
final class LimitCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "At most so many a second; without it, as configured.")
  private @Nullable Double rate;

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    boolean done = steering.limit(destination, rate, reason.by());
    answer.value(Map.of("done", done));
    String now = rate == null ? "as configured" : rate + " a second";
    answer.say("the rate of " + destination + (done ? " is now " : " was already ") + now);
  }
}
