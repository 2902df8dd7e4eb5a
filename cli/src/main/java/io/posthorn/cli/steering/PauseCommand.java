package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Send nothing more of a destination, a type or a key until it is resumed. */
@Command(
    name = "pause",
    description = "Send nothing more of a destination, a type or a key until it is resumed.")
final class PauseCommand implements Runnable {
  @Mixin private final ScopeOptions what = new ScopeOptions();
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    Scope scope = what.scope();
    boolean done = Steering.on(where.store()).pause(scope, reason.by());
    answer.value(Map.of("done", done));
    answer.say(scope + (done ? ": paused" : ": paused already"));
  }
}
