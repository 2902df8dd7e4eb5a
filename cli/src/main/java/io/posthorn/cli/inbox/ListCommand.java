package io.posthorn.cli.inbox;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.ReceiptState;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the newest receipts. */
@Command(
    name = "list",
    description = {
      "List the receipts of a consumer, newest first.",
      "Pass --from: without it, all receipts are read, which may take long."
    })
final class ListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ReceiptFilter filter = new ReceiptFilter();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "Only in this state: ${COMPLETION-CANDIDATES}.")
  private @Nullable ReceiptState state;

  @Option(
      names = "--limit",
      defaultValue = "20",
      paramLabel = "N",
      description = "Show up to N receipts; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    Receipts.print(answer, Inbox.on(where.store()).list(filter.query().state(state), limit));
  }
}
