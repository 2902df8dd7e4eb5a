package io.posthorn.cli.steering;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Scope;
import io.posthorn.core.operate.steering.Steering;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Let a paused destination, type or key go on. */
@Command(name = "resume", description = "Let a paused destination, type or key go on.")
final class ResumeCommand implements Runnable {
  @Mixin private final ScopeOptions what = new ScopeOptions();
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    Scope scope = what.scope();
    boolean done = Steering.on(where.store()).resume(scope, reason.by());
    answer.value(Map.of("done", done));
    answer.say(scope + (done ? ": resumed" : ": not paused"));
  }
}
