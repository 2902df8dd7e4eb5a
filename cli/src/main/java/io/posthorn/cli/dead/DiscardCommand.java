package io.posthorn.cli.dead;

import io.posthorn.cli.Exit;
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
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
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
        store,
        answer,
        "Discard",
        "discarded",
        /* sends= */ false,
        DeadLetters.on(store)::discard,
        Plan::discard);
  }
}
