package io.posthorn.cli.retention;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Reason;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.archive.ArchiveFiles;
import io.posthorn.core.archive.Part;
import io.posthorn.core.operator.OperatorStore;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Takes back what was archived in files. */
@Command(
    name = "import",
    description =
        "Take archived messages back into the archive's table, to be looked at, and dead letters back among the dead letters. Nothing is sent.")
final class ImportCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Reason reason = new Reason();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "FILE|DIR", description = "A file, or all of a directory.")
  private Path path = Path.of("");

  @Override
  public void run() {
    OperatorStore store = where.store();
    long messages = 0;
    long letters = 0;
    long known = 0;
    for (Path file : ArchiveFiles.in(path)) {
      Part part = ArchiveFiles.read(file);
      int restored = store.restore(part, reason.by());
      switch (part.kind()) {
        case MESSAGES -> messages += restored;
        case LETTERS -> letters += restored;
      }
      known += part.lines().size() - restored;
      answer.say(restored + " of " + file.getFileName());
    }
    answer.value(Map.of("messages", messages, "letters", letters, "known", known));
    answer.say(
        "%,d messages and %,d dead letters were taken back, %,d were there already"
            .formatted(messages, letters, known));
  }
}
