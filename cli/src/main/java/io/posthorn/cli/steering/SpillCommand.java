package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.figures.Figures.Count;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Moves what a destination has not sent out of the log. */
@Command(
    name = "spill",
    description =
        "Move what a destination has not sent out of the log, in order, so that the log can be emptied.")
final class SpillCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Override
  public void run() {
    long messages = where.store().spill(destination, reason.by());
    answer.value(Map.of("messages", messages));
    answer.say("parked %s of %s".formatted(Count.exactly(messages).of("message"), destination));
  }
}
