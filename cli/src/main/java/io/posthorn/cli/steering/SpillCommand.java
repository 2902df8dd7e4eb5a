package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.figures.Figures.Count;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Moves the undelivered messages of a destination out of the log. */
@Command(
    name = "spill",
    description = {
      "Move a destination's undelivered messages out of the log, so that the log can be emptied.",
      "They are parked in order, and sent when the destination works again."
    })
final class SpillCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Override
  public void run() {
    long messages = where.store().spill(destination, reason.by());
    answer.value(Map.of("messages", messages));
    answer.say("parked %s for %s".formatted(Count.exactly(messages).of("message"), destination));
  }
}
