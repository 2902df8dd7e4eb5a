package io.posthorn.cli.retention;

import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.archive.ArchiveFiles;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.figures.Figures.Count;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Imports archived messages and dead letters. */
@Command(
    name = "import",
    description = {
      "Import archived messages into the archive's table, to be read, and archived dead letters among the dead letters.",
      "Nothing is sent."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn retention import /archive/posthorn --why \"a question of the auditors\"")
final class ImportCommand implements Runnable {
  private static final int CHUNK = 500;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Answer answer = new Answer();

  @ArgGroup(multiplicity = "1")
  private Place place = new Place();

  /** Where to import from. */
  private static final class Place {
    @Parameters(
        index = "0",
        paramLabel = "FILE|DIR",
        description = "An archive file, or a directory of archive files.")
    private @Nullable Path path;

    @Option(names = "--table", description = "Import all dead letters of the archive's table.")
    private boolean table;

    @Option(
        names = "--letter",
        paramLabel = "ID",
        description = "Import this dead letter of the archive's table; may be repeated.")
    private List<UUID> letters = new ArrayList<>();
  }

  private long messages;
  private long letters;
  private long known;

  @Override
  public void run() {
    OperatorStore store = where.store();
    if (place.path != null) {
      fromFiles(store, place.path);
    } else if (place.table) {
      for (List<UUID> page = store.lettersInTable(new UUID(0, 0), CHUNK);
          !page.isEmpty();
          page = store.lettersInTable(page.get(page.size() - 1), CHUNK)) {
        fromTable(store, page);
      }
    } else {
      fromTable(store, place.letters);
    }
    answer.value(Map.of("messages", messages, "letters", letters, "known", known));
    answer.say(
        "imported: %s and %s; %s: %,d"
            .formatted(
                Count.exactly(messages).of("message"),
                Count.exactly(letters).of("dead letter"),
                place.letters.isEmpty() ? "already present" : "already present or not in the table",
                known));
  }

  private void fromFiles(OperatorStore store, Path path) {
    for (Path file : ArchiveFiles.in(path)) {
      Part part = ArchiveFiles.read(file);
      int restored = store.restore(part, reason.by());
      switch (part.kind()) {
        case MESSAGES -> messages += restored;
        case LETTERS -> letters += restored;
      }
      known += part.lines().size() - restored;
      answer.say("imported " + restored + " from " + file.getFileName());
    }
  }

  private void fromTable(OperatorStore store, List<UUID> ids) {
    int restored = store.restoreFromTable(ids, reason.by());
    letters += restored;
    known += ids.size() - restored;
  }
}
