package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
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
      description = "Id of the message, as 'parked list' shows it, or its first digits.")
  private IdPrefix message = IdPrefix.of("0000");

  @Override
  public void run() {
    OperatorStore store = where.store();
    Steering.on(store).skip(destination, Ids.ofMessages(store).whole(message), reason.by());
    answer.value(Map.of("done", true));
    answer.say("skipped; a discarded dead letter stays as evidence");
  }
}
