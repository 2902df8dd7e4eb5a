package io.posthorn.cli.inbox;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.message.MessageIds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The receipts of one message. */
@Command(name = "show", description = "Who has received a message, and whether it was handled.")
final class ShowCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "ID",
      description = "The message's id; if it is no UUID, as its sender wrote it.")
  private String id = "";

  @Option(
      names = "--sender",
      paramLabel = "NAME",
      description = "Who sent it; needed for an id that is no UUID.")
  private String sender = Inbox.NO_SENDER;

  @Option(
      names = "--consumer",
      paramLabel = "NAME",
      description = "Of this consumer; default: of all that are destinations.")
  private String consumer = Inbox.ALL_CONSUMERS;

  @Override
  public void run() {
    Receipts.print(answer, Inbox.on(where.store()).find(consumer, MessageIds.of(sender, id)));
  }
}
