package io.posthorn.cli.operations;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.operation.Operation;
import io.posthorn.core.operate.operation.Operations;
import java.util.List;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the newest operations. */
@Command(name = "list", description = "List operations (bulk actions), newest first.")
final class ListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Show up to N operations; default: 20.")
  private int limit = 20;

  @Override
  public void run() {
    List<Operation> all = Operations.on(where.store()).list(limit);
    answer.value(all.stream().map(OperationText::json).toList());
    if (all.isEmpty()) {
      answer.say("no operations");
      return;
    }
    answer.table(
        List.of("operation", "started", "action", "of", "state", "done", "sent", "died", "who"),
        all.stream().map(ListCommand::row).toList());
  }

  private static List<String> row(Operation operation) {
    return List.of(
        operation.id().toString(),
        Answer.ago(operation.createdAt()),
        operation.plan().action().name(),
        new TreeMap<>(operation.plan().selection()).toString(),
        operation.waitsForCanary() ? "waits for canary" : operation.state().name(),
        "%,d of %,d".formatted(operation.done(), operation.total()),
        "%,d".formatted(operation.sent()),
        "%,d".formatted(operation.died()),
        operation.by().who());
  }
}
