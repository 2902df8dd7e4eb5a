package io.posthorn.cli.audit;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.figures.Figures.Count;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes audit entries to a file that can be checked without the database. */
@Command(
    name = "export",
    description = {
      "Write audit entries to a new file, one JSON value per line.",
      "'audit verify --file' checks the file, also on a machine without the database."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn audit export --file audit-2026-01.jsonl")
final class ExportCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--file",
      required = true,
      paramLabel = "FILE",
      description = "The file to write. An existing file is never overwritten.")
  private Path file = Path.of("");

  @Option(
      names = "--after",
      defaultValue = "0",
      paramLabel = "N",
      description = "Only entries with a number above N; default: all.")
  private long after;

  @Override
  public void run() {
    Audit audit = Audit.on(where.store());
    Last last = new Last(after, after == 0 ? AuditEntry.START : hash(audit));
    try (BufferedWriter out = Files.newBufferedWriter(file, StandardOpenOption.CREATE_NEW)) {
      audit.forEach(after, entry -> write(out, entry, last));
    } catch (FileAlreadyExistsException e) {
      throw new CommandFailed("nothing was written: " + file + " exists. Choose another name", e);
    } catch (IOException | UncheckedIOException e) {
      throw new CommandFailed("cannot write " + file + ": " + e.getMessage(), e);
    }
    answer.value(Map.of("entries", last.n - after, "last", last.n, "head", last.hash));
    answer.say(
        "wrote %s; the last is entry %,d, with the hash"
            .formatted(Count.exactly(last.n - after).of("entry", "entries"), last.n));
    answer.say(last.hash);
  }

  private String hash(Audit audit) {
    return audit
        .entry(after)
        .orElseThrow(
            () ->
                new CommandFailed(
                    "nothing was written: there is no entry %,d to continue after. Choose a lower --after"
                        .formatted(after),
                    null))
        .hash();
  }

  private static boolean write(BufferedWriter out, AuditEntry entry, Last last) {
    try {
      out.write(AuditLines.line(entry, last.hash));
      out.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    last.n = entry.n();
    last.hash = entry.hash();
    return true;
  }

  /** The last entry written. */
  private static final class Last {
    private long n;
    private String hash;

    Last(long n, String hash) {
      this.n = n;
      this.hash = hash;
    }
  }
}
