package io.posthorn.cli.audit;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.audit.Audit;
import io.posthorn.core.operate.audit.AuditEntry;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists audit entries, oldest first. */
@Command(name = "list", description = "List what people did, oldest first.")
final class ListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--after",
      defaultValue = "0",
      paramLabel = "N",
      description = "Only entries with a number above N; default: all.")
  private long after;

  @Option(
      names = "--limit",
      defaultValue = "100",
      paramLabel = "N",
      description = "Show up to N entries; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    List<AuditEntry> entries = Audit.on(where.store()).after(after, limit);
    answer.value(entries.stream().map(AuditLines::json).toList());
    if (entries.isEmpty()) {
      answer.say("no entries");
      return;
    }
    answer.table(
        List.of("n", "at", "who", "role", "action", "target", "why"),
        entries.stream()
            .map(
                e ->
                    List.of(
                        Long.toString(e.n()),
                        Answer.time(e.at()),
                        e.who(),
                        e.role(),
                        e.action(),
                        e.target(),
                        e.why()))
            .toList());
  }
}
