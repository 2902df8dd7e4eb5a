package io.posthorn.cli.operations;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.FilterOptions;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import io.posthorn.core.operate.operation.SentQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
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
      description = "Ids of messages; or select by options.")
  private List<UUID> ids = new ArrayList<>();

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
    SentQuery query =
        SentQuery.to(destination)
            .between(filter.from(), filter.to())
            .ofType(filter.type())
            .ofKey(key)
            .only(ids);
    bulk.run(
        Operations.on(where.store()),
        Plan.resend(query),
        answer,
        count -> "Send " + count.of("message") + " to " + destination + " again?");
  }
}
