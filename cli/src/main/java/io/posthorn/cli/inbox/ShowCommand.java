package io.posthorn.cli.inbox;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.message.MessageIds;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows the receipts of one message. */
@Command(
    name = "show",
    description = "Show which consumers received a message, and whether they handled it.")
final class ShowCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(
      index = "0",
      paramLabel = "ID",
      description =
          "Id of the message. If it is not a UUID, write it as the sender did, with --sender.")
  private String id = "";

  @Option(
      names = "--sender",
      paramLabel = "NAME",
      description = "Sender of the message; needed for an id that is not a UUID.")
  private String sender = Inbox.NO_SENDER;

  @Option(
      names = "--consumer",
      paramLabel = "NAME",
      description = "Only this consumer; default: all consumers that are destinations.")
  private String consumer = Inbox.ALL_CONSUMERS;

  @Override
  public void run() {
    Receipts.print(answer, Inbox.on(where.store()).find(consumer, MessageIds.of(sender, id)));
  }
}
