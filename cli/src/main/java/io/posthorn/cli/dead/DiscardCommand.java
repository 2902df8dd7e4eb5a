package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.operation.Plan;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Discards dead letters. */
@Command(
    name = "discard",
    description = {
      "Discard dead letters: their messages are never sent.",
      "The dead letters stay as evidence, in the state DISCARDED. This cannot be undone."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all selected dead letters were changed",
      "1:a dead letter that you named was not changed, the operation was stopped, or the command failed",
      "2:invalid usage"
    },
    footerHeading = "%nExample:%n",
    footer = {"  posthorn dead discard --cause CAUSE --why \"test orders of last night\""})
final class DiscardCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Selection selection = new Selection();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    OperatorStore store = where.store();
    selection.rescue(
        store, answer, "Discard", "discarded", DeadLetters.on(store)::discard, Plan::discard);
  }
}
