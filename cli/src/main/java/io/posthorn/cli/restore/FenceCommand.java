package io.posthorn.cli.restore;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.restore.Restore;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lets nobody send from a copy. It does not ask: it is for scripts, and adopting undoes it. */
@Command(
    name = "fence",
    description = {
      "Let no relay send from this database until it is adopted; for scripts that copy databases.",
      "Run it as the role that owns the tables, on the copy."
    })
public final class FenceCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    boolean done = Restore.on(where.store()).fence(reason.by());
    answer.value(Map.of("done", done));
    answer.say(done ? "fenced: nobody sends from here" : "it was fenced already");
  }
}
