package io.posthorn.cli.dead;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.deadletter.DeadLetters;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Write down what is known of a cause, and who sees to it. */
@Command(name = "note", description = "Write down what is known of a cause, and who sees to it.")
final class NoteCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(paramLabel = "CAUSE", description = "As 'dead groups' shows it.")
  private String cause = "";

  @Option(names = "--note", paramLabel = "TEXT", description = "What is known; \"\" takes it away.")
  private @Nullable String note;

  @Option(names = "--owner", paramLabel = "NAME", description = "Who sees to it; \"\" = nobody.")
  private @Nullable String owner;

  @Override
  public void run() {
    DeadLetters.on(where.store()).note(cause, note, owner, reason.by());
    answer.value(Map.of("done", true));
    answer.say("noted; it stays when the letters are gone");
  }
}
