package io.posthorn.cli.operations;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** No more steps. */
@Command(name = "stop", description = "Stop a bulk action; what is on its way goes on.")
final class StopCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "OPERATION", description = "Its id.")
  private UUID id = new UUID(0, 0);

  @Override
  public void run() {
    Operation stopped = Operations.on(where.store()).stop(id, reason.by());
    answer.value(OperationText.json(stopped));
    answer.say("stopped: " + OperationText.sentence(stopped));
  }
}
