package io.posthorn.cli.inbox;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.ActorOptions;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Consent;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.inbox.Inbox;
import io.posthorn.core.inbox.ReceiptQuery;
import io.posthorn.core.inbox.ReceiptState;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.operate.figures.Figures.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lets a consumer handle messages again. */
@Command(
    name = "replay",
    description = {
      "Let a consumer handle messages again that it has handled or skipped.",
      "This sends nothing: afterwards, let the sender or the broker deliver the messages again."
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn inbox replay --consumer books --from 2h --why \"wrong prices\"")
final class ReplayCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ReceiptFilter filter = new ReceiptFilter();

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "Ids of messages; or select by options.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--all", description = "All messages that the consumer has received.")
  private boolean all;

  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    if (ids.isEmpty() && filter.isBare() && !all) {
      throw new ParameterException(
          spec.commandLine(), "which messages? Pass their ids, select by options, or pass --all");
    }
    Inbox inbox = Inbox.on(where.store());
    long done = ids.isEmpty() ? select(inbox) : named(inbox);
    answer.value(Map.of("done", done));
    if (done == 0) {
      throw new CommandFailed(
          "nothing was done: %s has handled or skipped no such message"
              .formatted(filter.consumer()),
          null);
    }
    answer.say(
        Count.exactly(done)
            .of(
                "message will be handled when it arrives again",
                "messages will be handled when they arrive again"));
  }

  private long named(Inbox inbox) {
    consent.ask(question(ids.size()));
    return ids.stream()
        .map(id -> MessageIds.of(filter.sender(), id))
        .filter(id -> inbox.replay(filter.consumer(), id, reason.by()))
        .count();
  }

  private long select(Inbox inbox) {
    ReceiptQuery query = filter.query();
    long count =
        inbox.count(query.state(ReceiptState.HANDLED))
            + inbox.count(query.state(ReceiptState.SKIPPED_STALE));
    if (count == 0) {
      return 0;
    }
    consent.ask(question(count));
    return inbox.replay(query, reason.by());
  }

  private String question(long count) {
    return "Let %s handle %s again?"
        .formatted(filter.consumer(), Count.exactly(count).of("message"));
  }
}
