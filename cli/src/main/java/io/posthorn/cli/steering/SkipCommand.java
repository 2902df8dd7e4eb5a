package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Gives up a parked or scheduled message. */
@Command(
    name = "skip",
    description = {
      "Give up a parked or scheduled message: it is never sent, and its key goes on.",
      "A discarded dead letter stays as evidence."
    })
final class SkipCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Parameters(
      index = "1",
      paramLabel = "MESSAGE",
      description = "Id of the message, as 'parked list' shows it.")
  private UUID message = new UUID(0, 0);

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    steering.skip(destination, message, reason.by());
    answer.value(Map.of("done", true));
    answer.say("skipped; a discarded dead letter stays as evidence");
  }
}
