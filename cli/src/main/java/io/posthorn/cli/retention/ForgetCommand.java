package io.posthorn.cli.retention;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Archives no more. */
@Command(
    name = "forget",
    description =
        "Forget an archive that is not used any more: purges without an archive remove things again.")
final class ForgetCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "ARCHIVE",
      description = "Its name as 'retention run' says it, for example 'table'.")
  private String archive = "";

  @Override
  public void run() {
    boolean done = where.store().forgetArchive(archive, reason.by());
    answer.value(Map.of("done", done));
    answer.say("archive '" + archive + (done ? "' is forgotten" : "' was not known"));
  }
}
