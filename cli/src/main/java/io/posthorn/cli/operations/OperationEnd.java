package io.posthorn.cli.operations;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.operations.WaitOptions.Progress;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operation.State;
import io.posthorn.core.operate.operation.Operations;

/** Reports what became of an operation, after its deliveries if the user waits for them. */
final class OperationEnd {
  private OperationEnd() {}

  /** Fails if the operation was stopped, left something out, or a delivery failed meanwhile. */
  static void report(OperatorStore store, WaitOptions wait, Answer answer, Operation operation) {
    Operation[] last = {operation};
    try {
      if (wait.isGiven()) {
        wait.await(
            store,
            answer,
            "posthorn operations show " + operation.id(),
            () -> {
              last[0] = Operations.on(store).find(operation.id()).orElse(last[0]);
              return progress(last[0]);
            });
      }
    } finally {
      answer.value(OperationText.json(last[0]));
      answer.say(OperationText.sentence(last[0]));
    }
    judge(last[0]);
  }

  /** A stopped operation is complete when what it had queued has arrived. */
  private static Progress progress(Operation now) {
    boolean stopped = now.state() == State.STOPPED;
    boolean complete = now.state() != State.RUNNING && now.underWay() == 0;
    return new Progress(
        now.done(),
        now.plan().action().sends() ? now.sent() : now.done(),
        // What stopped it is the better error.
        stopped ? 0 : now.died(),
        complete,
        OperationText.progress(now));
  }

  private static void judge(Operation ended) {
    if (ended.state() == State.STOPPED) {
      throw new CommandFailed(
          Exit.PARTLY,
          "operation %s was stopped: %s. Fix the cause that 'posthorn dead groups' shows, then run 'posthorn operations resume %s --why TEXT'"
              .formatted(ended.id(), ended.note(), ended.id()),
          "");
    }
    if (ended.refused() > 0) {
      throw new CommandFailed(
          ended.done() == 0 ? Exit.NOTHING_DONE : Exit.PARTLY,
          "%,d of %,d were left as they are, because they had changed meanwhile or their key is held or paused"
              .formatted(ended.refused(), ended.total()),
          "");
    }
  }
}
