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

/** Records what is known about a cause. */
@Command(
    name = "note",
    description = {
      "Record what is known about a cause of dead letters, and who handles it.",
      "The note stays after the dead letters are gone, for the next time."
    })
final class NoteCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(paramLabel = "CAUSE", description = "The cause, as 'dead groups' shows it.")
  private String cause = "";

  @Option(
      names = "--note",
      paramLabel = "TEXT",
      description = "What is known; \"\" removes the note.")
  private @Nullable String note;

  @Option(
      names = "--owner",
      paramLabel = "NAME",
      description = "Who handles it; \"\" removes the owner.")
  private @Nullable String owner;

  @Override
  public void run() {
    DeadLetters.on(where.store()).note(cause, note, owner, reason.by());
    answer.value(Map.of("done", true));
    answer.say("noted; the note stays after the dead letters are gone");
  }
}
