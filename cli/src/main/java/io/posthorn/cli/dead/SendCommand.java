package io.posthorn.cli.dead;

import io.posthorn.cli.Exit;
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
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
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
        /* sends= */ true,
        DeadLetters.on(store)::sendOnce,
        Plan::sendOnce);
  }
}
