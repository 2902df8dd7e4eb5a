package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Plan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** One attempt. */
@Command(
    name = "send",
    description = "Let a relay try dead letters once; what fails is dead again at once.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done to all letters",
      "1:nothing was done to a letter that was named, or to any",
      "2:not understood"
    })
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
        "on their way, once",
        DeadLetters.on(store)::sendOnce,
        Plan::sendOnce);
  }
}
