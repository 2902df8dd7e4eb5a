package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Reason;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Send nothing more to a destination until it is resumed. */
@Command(name = "pause", description = "Send nothing more to a destination until it is resumed.")
final class PauseCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Reason reason = new Reason();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    boolean done = steering.pause(destination, reason.by());
    answer.value(Map.of("done", done));
    answer.say(destination + (done ? " is paused" : " was paused already"));
  }
}
