package io.posthorn.cli.operations;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import java.util.TreeMap;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one operation. */
@Command(
    name = "show",
    description = "Show the progress of an operation (a bulk action), or wait until it has ended.",
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
    })
final class ShowCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final WaitOptions wait = new WaitOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "OPERATION",
      description = "Id of the operation, as 'operations list' shows it, or its first digits.")
  private IdPrefix id = IdPrefix.of("0000");

  @Override
  public void run() {
    wait.check();
    OperatorStore store = where.store();
    UUID whole = Ids.ofOperations(store).whole(id);
    Operation operation =
        Operations.on(store)
            .find(whole)
            .orElseThrow(
                () ->
                    new CommandFailed(
                        "there is no operation "
                            + whole
                            + ". 'posthorn operations list' shows the ids",
                        null));
    if (!wait.isGiven()) {
      answer.value(OperationText.json(operation));
    }
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
    if (wait.isGiven()) {
      OperationEnd.report(store, wait, answer, operation);
    }
  }
}
