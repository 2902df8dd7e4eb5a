package io.posthorn.cli.operations;

import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.FilterOptions;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends messages again that were already sent. */
@Command(
    name = "resend",
    description = "Send messages to a destination again that were already sent to it.",
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
    },
    footerHeading = "%nExample:%n",
    footer =
        "  posthorn messages resend --destination mail --type OrderPlaced --from 2h --rate 100 --why \"lost by the receiver\"")
public final class ResendCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();

  @Parameters(
      paramLabel = "MESSAGE",
      arity = "0..*",
      description = "Ids of messages, or their first digits; or select by options.")
  private List<IdPrefix> ids = new ArrayList<>();

  @Option(
      names = "--destination",
      required = true,
      paramLabel = "NAME",
      description = "The destination to send to.")
  private String destination = "";

  @Mixin private final FilterOptions filter = new FilterOptions();
  @Mixin private final BulkOptions bulk = new BulkOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    Key key = filter.key().key();
    if (ids.isEmpty() && filter.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "which messages? Pass their ids, or select by options");
    }
    OperatorStore store = where.store();
    SentQuery query =
        SentQuery.to(destination)
            .between(filter.from(), filter.to())
            .ofType(filter.type())
            .ofKey(key)
            .only(Ids.ofMessages(store).whole(ids));
    bulk.run(
        store,
        Plan.resend(query),
        answer,
        "message that was sent to " + destination,
        count -> "Send " + count.of("message") + " to " + destination + " again?");
  }
}
