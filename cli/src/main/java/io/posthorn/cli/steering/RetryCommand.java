package io.posthorn.cli.steering;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.KeyOption;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Retries parked messages now. */
@Command(
    name = "retry",
    description = "Retry parked messages now, instead of at the time of their next attempt.")
final class RetryCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Mixin private final KeyOption key = new KeyOption();

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    int done = steering.retryNow(destination, key.key(), reason.by());
    answer.value(Map.of("done", done));
    if (done == 0) {
      throw new CommandFailed("nothing was done: no parked message waits for a retry there", null);
    }
    answer.say(
        Count.exactly(done).of("message will be retried now", "messages will be retried now"));
  }
}
