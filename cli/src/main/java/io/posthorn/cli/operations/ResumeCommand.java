package io.posthorn.cli.operations;

import io.posthorn.cli.Exit;
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

/** Resumes a stopped operation where it was stopped. */
@Command(
    name = "resume",
    description = "Resume a stopped operation where it was stopped.",
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
    })
final class ResumeCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
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
    Operation resumed = Operations.on(store).resume(Ids.ofOperations(store).whole(id), reason.by());
    if (wait.isGiven()) {
      OperationEnd.report(store, wait, answer, resumed);
      return;
    }
    answer.value(OperationText.json(resumed));
    answer.say("resumed: " + OperationText.sentence(resumed));
  }
}
