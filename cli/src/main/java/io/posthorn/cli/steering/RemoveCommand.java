package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Consent;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.status.Status;
import io.posthorn.core.operate.steering.DestinationStatus;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Take a destination away that nobody wants any more. */
@Command(
    name = "remove",
    description = {
      "Take a destination away that nobody wants any more, with its routes.",
      "What is parked for it becomes dead letters. What it has not got of the log it does not get any more;"
          + " 'destinations spill' parks that before."
    })
final class RemoveCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Override
  public void run() {
    OperatorStore store = where.store();
    store.status().destinations().stream()
        .filter(found -> found.status().name().equals(destination))
        .forEach(found -> consent.ask(question(found)));
    long letters = Steering.on(store).remove(destination, reason.by());
    answer.value(Map.of("letters", letters));
    answer.say(
        "removed %s; %s made of what was parked"
            .formatted(destination, Count.exactly(letters).of("dead letter")));
  }

  private static String question(Status.Backlog found) {
    return "Remove %s? It does not get what it has not got of the log (%s); what is parked for it (%s) becomes dead letters."
        .formatted(
            found.status().name(),
            new Count(found.pending(), found.estimated()).of("message"),
            StateText.counted(found.status().parked(), DestinationStatus.MOST_COUNTED));
  }
}
