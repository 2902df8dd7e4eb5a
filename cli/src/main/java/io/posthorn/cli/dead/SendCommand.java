package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Plan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Sends dead letters with one attempt. */
@Command(
    name = "send",
    description = {
      "Send dead letters once: a relay makes one attempt for each.",
      "If the attempt fails, the message is dead again at once, without retries."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all selected dead letters were changed",
      "1:a dead letter that you named was not changed, the operation was stopped, or the command failed",
      "2:invalid usage"
    },
    footerHeading = "%nExample:%n",
    footer = {"  posthorn dead send LETTER --why \"test after the fix\""})
final class SendCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Selection selection = new Selection();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    OperatorStore store = where.store();
    selection.rescue(
        store,
        answer,
        "Send once",
        "queued for one attempt",
        DeadLetters.on(store)::sendOnce,
        Plan::sendOnce);
  }
}
