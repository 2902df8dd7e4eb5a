package io.posthorn.cli.inbox;

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

/** Lets what was handled be handled again. */
@Command(
    name = "replay",
    description =
        "Let messages that were handled, or skipped, be handled when they come again. Sends nothing: let the sender or the broker repeat them then.")
final class ReplayCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final ReceiptFilter filter = new ReceiptFilter();

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "The messages; or say which by options.")
  private List<String> ids = new ArrayList<>();

  @Option(names = "--all", description = "All that the consumer has received.")
  private boolean all;

  @Mixin private final ActorOptions reason = new ActorOptions();
  @Mixin private final Consent consent = new Consent();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    if (ids.isEmpty() && filter.isBare() && !all) {
      throw new ParameterException(
          spec.commandLine(), "which messages? Name them, say which by options, or --all");
    }
    Inbox inbox = Inbox.on(where.store());
    long done = ids.isEmpty() ? select(inbox) : named(inbox);
    answer.value(Map.of("done", done));
    answer.say(
        Count.exactly(done)
            .of(
                "message is handled when it comes again",
                "messages are handled when they come again"));
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
