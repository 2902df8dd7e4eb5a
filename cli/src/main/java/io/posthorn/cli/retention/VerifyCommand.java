package io.posthorn.cli.retention;

import io.posthorn.cli.CommandFailed;
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

/** Whether an archive is as it was written. */
@Command(
    name = "verify",
    description = "List the files of an archive and check that each is whole and unchanged.")
final class VerifyCommand implements Runnable {
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "FILE|DIR", description = "A file, or all of a directory.")
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
          "not as written: %,d of %s"
              .formatted(broken.size(), Count.exactly(broken.size() + rows.size()).of("file")),
          String.join("\n", broken),
          null);
    }
    answer.value(Map.of("files", rows.size(), "lines", lines));
    answer.say(
        "whole and unchanged: %s with %s"
            .formatted(Count.exactly(rows.size()).of("file"), Count.exactly(lines).of("line")));
  }
}
