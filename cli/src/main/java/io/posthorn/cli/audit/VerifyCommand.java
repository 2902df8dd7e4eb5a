package io.posthorn.cli.audit;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditCheck;
import io.posthorn.core.operate.audit.AuditEntry;
import io.posthorn.core.operate.figures.Figures.Count;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks that the audit is unchanged. */
@Command(
    name = "verify",
    description = {
      "Check that no audit entry was changed or removed, in the database or in an exported file.",
      "It prints the hash of the last entry. Keep that hash outside the database: it reveals later that the newest entries were removed."
    },
    exitCodeList = {
      "0:nothing was changed",
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.FOUND_LINE
    })
final class VerifyCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "Check this file, which 'audit export' wrote. With --url, also check that the database has the same entries.")
  private @Nullable Path file;

  @Override
  public void run() {
    AuditCheck checked = file == null ? Audit.on(where.store()).verify() : AuditLines.verify(file);
    if (checked.broken().isPresent()) {
      throw new CommandFailed(
          Exit.FOUND,
          "the audit was tampered with or damaged: entry %,d is missing or changed"
              .formatted(checked.broken().get()),
          "");
    }
    boolean compared = file != null && where.isGiven();
    if (compared) {
      compare(Audit.on(where.store()), checked);
    }
    answer.value(
        Map.of("entries", checked.entries(), "last", checked.last(), "head", checked.head()));
    answer.say(
        "checked %s: none was changed. The last one has the hash"
            .formatted(Count.exactly(checked.entries()).of("entry", "entries")));
    answer.say(checked.head());
    answer.say(
        compared
            ? "The database has the same entry %,d.".formatted(checked.last())
            : "Keep this hash outside the database: without it, removed newest entries go unnoticed.");
  }

  /** Compares one hash. That is enough, because it covers all entries before it. */
  private static void compare(Audit audit, AuditCheck file) {
    String stored = audit.entry(file.last()).map(AuditEntry::hash).orElse("none");
    if (!stored.equals(file.head())) {
      throw new CommandFailed(
          Exit.FOUND,
          "the database differs from the file: its entry %,d has hash %s, the file has %s. It is another database, or its audit was changed after the export"
              .formatted(file.last(), stored, file.head()),
          "");
    }
  }
}
