package io.posthorn.cli.operations;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Stops an operation. */
@Command(
    name = "stop",
    description =
        "Stop an operation (a bulk action). Messages that are already on their way are still delivered.")
final class StopCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "OPERATION",
      description = "Id of the operation, as 'operations list' shows it, or its first digits.")
  private IdPrefix id = IdPrefix.of("0000");

  @Override
  public void run() {
    OperatorStore store = where.store();
    Operation stopped = Operations.on(store).stop(Ids.ofOperations(store).whole(id), reason.by());
    answer.value(OperationText.json(stopped));
    answer.say("stopped: " + OperationText.sentence(stopped));
  }
}
