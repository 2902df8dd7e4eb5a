package io.posthorn.cli.retention;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.operate.archive.ArchiveFiles;
import io.posthorn.core.operate.archive.Part;
import io.posthorn.core.operate.figures.Figures.Count;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Checks that an archive is complete and unchanged. */
@Command(
    name = "verify",
    description =
        "List the files of an archive, and check that each is complete and unchanged. Needs no database.",
    exitCodeList = {
      "0:complete and unchanged",
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.FOUND_LINE
    })
final class VerifyCommand implements Runnable {
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "FILE|DIR",
      description = "An archive file, or a directory of archive files.")
  private Path path = Path.of("");

  @Override
  public void run() {
    List<List<String>> rows = new ArrayList<>();
    List<String> broken = new ArrayList<>();
    long lines = 0;
    for (Path file : ArchiveFiles.in(path)) {
      try {
        Part part = ArchiveFiles.read(file);
        lines += part.lines().size();
        rows.add(
            List.of(
                part.kind().name().toLowerCase(Locale.ROOT),
                part.day().toString(),
                "%,d".formatted(part.first()),
                "%,d".formatted(part.lines().size())));
      } catch (PosthornException e) {
        broken.add(String.valueOf(e.getMessage()));
      }
    }
    answer.table(List.of("what", "day", "first seq", "lines"), rows);
    if (!broken.isEmpty()) {
      throw new CommandFailed(
          Exit.FOUND,
          "damaged: %,d of %s"
              .formatted(broken.size(), Count.exactly(broken.size() + rows.size()).of("file")),
          String.join("\n", broken));
    }
    answer.value(Map.of("files", rows.size(), "lines", lines));
    answer.say(
        "complete and unchanged: %s with %s"
            .formatted(Count.exactly(rows.size()).of("file"), Count.exactly(lines).of("line")));
  }
}
