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

/** Writes entries to a file that can be checked without the database. */
@Command(
    name = "export",
    description = "Write the record to a file, one JSON value a line, to be checked elsewhere.")
final class ExportCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--file",
      required = true,
      paramLabel = "FILE",
      description = "A new one; what exists is not written over.")
  private Path file = Path.of("");

  @Option(
      names = "--after",
      defaultValue = "0",
      paramLabel = "N",
      description = "Only entries with a higher number; default: all.")
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
        "%s, the last is %,d with hash"
            .formatted(Count.exactly(last.n - after).of("entry", "entries"), last.n));
    answer.say(last.hash);
  }

  private String hash(Audit audit) {
    return audit
        .entry(after)
        .orElseThrow(
            () ->
                new CommandFailed(
                    "nothing was written: there is no entry %,d to go on from".formatted(after),
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

  /** The entry that was written last. */
  private static final class Last {
    private long n;
    private String hash;

    Last(long n, String hash) {
      this.n = n;
      this.hash = hash;
    }
  }
}
