package io.posthorn.cli.audit;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.audit.Audit;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Whether the record is as it was written. */
@Command(name = "verify", description = "Check that no entry was changed or removed.")
final class VerifyCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    Audit.Verdict verdict = Audit.on(where.store()).verify();
    if (verdict.broken().isPresent()) {
      throw new CommandFailed(
          "the audit is not as it was written: entry %,d is missing or changed"
              .formatted(verdict.broken().get()),
          null);
    }
    answer.value(Map.of("entries", verdict.entries(), "head", verdict.head()));
    answer.say("no entry of %,d was changed; the last has hash".formatted(verdict.entries()));
    answer.say(verdict.head());
    answer.say("Keep it elsewhere: only then a cut-off end shows, too.");
  }
}
