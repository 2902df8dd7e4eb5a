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

/** Where it was stopped, it goes on. */
@Command(name = "resume", description = "Let a stopped bulk action go on.")
final class ResumeCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "OPERATION", description = "Its id.")
  private UUID id = new UUID(0, 0);

  @Override
  public void run() {
    Operation resumed = Operations.on(where.store()).resume(id, reason.by());
    answer.value(OperationText.json(resumed));
    answer.say("resumed: " + OperationText.sentence(resumed));
  }
}
