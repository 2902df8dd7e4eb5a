package io.posthorn.cli.retention;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.ConfirmOption;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.archive.FileArchive;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.retention.PurgeReport;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Purges now what a relay would purge within half an hour. */
@Command(
    name = "run",
    description = {
      "Remove what is finished and older than the retention now, instead of waiting for a relay.",
      "Pass the times and the archive that your relays are configured with: what is older is removed for good. Run it as the relay's role."
    },
    footerHeading = "%nExample:%n",
    footer =
        "  posthorn retention run --retention 7d --dead-retention 30d --archive-dir /archive/posthorn")
final class RunCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final TimesOptions times = new TimesOptions();

  @SuppressWarnings("UnusedVariable") // the connection reads it
  @Mixin
  private final ConfirmOption confirm = new ConfirmOption();

  @Mixin private final Answer answer = new Answer();

  @ArgGroup private @Nullable Where archive;

  /** The archive: tables or a directory. */
  static final class Where {
    @Option(
        names = "--archive-table",
        description = "Archive into tables of the same database before removing.")
    private boolean table;

    @Option(
        names = "--archive-dir",
        paramLabel = "DIR",
        description = "Archive into files of this directory before removing.")
    private @Nullable Path directory;
  }

  @Override
  public void run() {
    OperatorStore store = where.store();
    PurgeReport report =
        store.purge(
            times.times(),
            archive(store),
            step -> {
              if (step.startsWith("archiving")) {
                answer.say(step);
              }
              return true;
            });
    answer.value(json(report));
    report.emptied().forEach(leaf -> answer.say("emptied " + leaf));
    report.waiting().forEach(line -> answer.say("waits: " + line));
    answer.say(
        "%s archived, %s emptied, %s removed"
            .formatted(
                Count.exactly(report.archived()).of("message"),
                Count.exactly(report.emptied().size()).of("leaf", "leaves"),
                Count.exactly(report.expired()).of("dead letter")));
  }

  private Archive archive(OperatorStore store) {
    if (archive == null) {
      return Archive.NONE;
    }
    Path directory = archive.directory;
    return archive.table || directory == null ? store.archiveTable() : FileArchive.in(directory);
  }

  private static Map<String, Object> json(PurgeReport report) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("emptied", report.emptied());
    map.put("waiting", report.waiting());
    map.put("archived", report.archived());
    map.put("letters_removed", report.expired());
    return map;
  }
}
