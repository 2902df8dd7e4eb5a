package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Reason;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Let a paused destination go on. */
@Command(name = "resume", description = "Let a paused destination go on.")
final class ResumeCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Reason reason = new Reason();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    boolean done = steering.resume(destination, reason.by());
    answer.value(Map.of("done", done));
    answer.say(destination + (done ? " goes on" : " was not paused"));
  }
}
