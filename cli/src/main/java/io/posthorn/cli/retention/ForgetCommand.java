package io.posthorn.cli.retention;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Forgets an archive. */
@Command(
    name = "forget",
    description = {
      "Forget an archive that is no longer in use.",
      "While an archive is in use, a purge without it is refused. Afterwards, a purge without an archive removes data for good."
    })
final class ForgetCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "ARCHIVE",
      description = "Name of the archive, as 'retention run' prints it, for example 'table'.")
  private String archive = "";

  @Override
  public void run() {
    boolean done = where.store().forgetArchive(archive, reason.by());
    answer.value(Map.of("done", done));
    if (!done) {
      throw new CommandFailed(
          "nothing was done: the archive '" + archive + "' was not known", null);
    }
    answer.say("archive '" + archive + "' is forgotten");
  }
}
