package io.posthorn.cli.operations;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import java.util.TreeMap;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one operation. */
@Command(name = "show", description = "Show the progress of an operation (a bulk action).")
final class ShowCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "OPERATION",
      description = "Id of the operation, as 'operations list' shows it.")
  private UUID id = new UUID(0, 0);

  @Override
  public void run() {
    Operation operation =
        Operations.on(where.store())
            .find(id)
            .orElseThrow(
                () ->
                    new CommandFailed(
                        "there is no operation "
                            + id
                            + ". 'posthorn operations list' shows the ids",
                        null));
    answer.value(OperationText.json(operation));
    answer.say(
        "%s of %s"
            .formatted(operation.plan().action(), new TreeMap<>(operation.plan().selection())));
    answer.say(
        "started %s by %s: %s"
            .formatted(
                Answer.time(operation.createdAt()), operation.by().who(), operation.by().why()));
    answer.say(OperationText.progress(operation));
    if (operation.note() != null) {
      answer.say(operation.note());
    }
  }
}
