package io.posthorn.cli.audit;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Whether the record is as it was written. */
@Command(
    name = "verify",
    description = "Check that no entry was changed or removed: in the database, or in a file.")
final class VerifyCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "One that 'audit export' wrote; with --url, the database must have the same entries.")
  private @Nullable Path file;

  @Override
  public void run() {
    Audit.Verdict verdict =
        file == null ? Audit.on(where.store()).verify() : AuditLines.verify(file);
    if (verdict.broken().isPresent()) {
      throw new CommandFailed(
          "the audit is not as it was written: entry %,d is missing or changed"
              .formatted(verdict.broken().get()),
          null);
    }
    boolean compared = file != null && where.isGiven();
    if (compared) {
      compare(Audit.on(where.store()), verdict);
    }
    answer.value(
        Map.of("entries", verdict.entries(), "last", verdict.last(), "head", verdict.head()));
    answer.say("no entry of %,d was changed; the last has hash".formatted(verdict.entries()));
    answer.say(verdict.head());
    answer.say(
        compared
            ? "The database has the same entry %,d.".formatted(verdict.last())
            : "Keep it elsewhere: only then a cut-off end shows, too.");
  }

  /** One equal hash is enough: it covers all entries before. */
  private static void compare(Audit audit, Audit.Verdict file) {
    String stored = audit.entry(file.last()).map(AuditEntry::hash).orElse("none");
    if (!stored.equals(file.head())) {
      throw new CommandFailed(
          "the database is not what the file was exported from, or was changed since: its entry %,d has hash %s and not %s"
              .formatted(file.last(), stored, file.head()),
          null);
    }
  }
}
