package io.posthorn.cli.restore;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.restore.Restore;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * Prevents relays from sending from a copy. It does not ask, because scripts use it and adopting
 * undoes it.
 */
@Command(
    name = "fence",
    description = {
      "Prevent all relays from sending from this database until it is adopted.",
      "For scripts that copy databases: it does not ask. Run it on the copy, as the role that owns the tables. 'posthorn adopt' lifts the fence."
    })
public final class FenceCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    boolean done = Restore.on(where.store()).fence(reason.by());
    answer.value(Map.of("done", done));
    answer.say(
        done ? "fenced: no relay sends from this database" : "this database was already fenced");
  }
}
