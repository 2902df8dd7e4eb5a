package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.KeyOption;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Releases a key that a dead letter holds. */
@Command(
    name = "release",
    description = {
      "Release a key that a dead letter holds: its waiting messages are sent, without the dead one.",
      "The dead letter stays."
    })
final class ReleaseCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Mixin private final KeyOption key = new KeyOption();

  @Override
  public void run() {
    Steering steering = Steering.on(where.store());
    Key one = key.required();
    boolean done = steering.release(destination, one, reason.by());
    answer.value(Map.of("done", done));
    answer.say("key " + one + (done ? " is released: its messages go on" : " was not held"));
  }
}
