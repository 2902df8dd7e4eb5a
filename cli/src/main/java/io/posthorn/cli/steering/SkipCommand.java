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

/** Give a parked or scheduled message up; its key goes on. */
@Command(name = "skip", description = "Give a parked or scheduled message up; its key goes on.")
final class SkipCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Parameters(
      index = "1",
      paramLabel = "MESSAGE",
      description = "Its id, as 'parked list' shows it.")
  private UUID message = new UUID(0, 0);

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    steering.skip(destination, message, reason.by());
    answer.value(Map.of("done", true));
    answer.say("skipped; the evidence is a discarded dead letter");
  }
}
