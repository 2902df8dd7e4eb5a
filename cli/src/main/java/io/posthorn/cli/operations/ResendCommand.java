package io.posthorn.cli.operations;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.database.Times;
import io.posthorn.core.message.Key;
import io.posthorn.core.operation.Operations;
import io.posthorn.core.operation.Plan;
import io.posthorn.core.operation.SentQuery;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** What was sent, once more. */
@Command(name = "resend", description = "Send a destination again what it was sent.")
public final class ResendCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();

  @Parameters(
      paramLabel = "MESSAGE",
      arity = "0..*",
      description = "Their ids; or say which by options.")
  private List<UUID> ids = new ArrayList<>();

  @Option(
      names = "--destination",
      required = true,
      paramLabel = "NAME",
      description = "To this destination.")
  private String destination = "";

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Stored since then: 2026-01-31T10:00:00Z, or 2h, 3d before now.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Stored before then.")
  private @Nullable String to;

  @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
  private @Nullable String type;

  @Option(names = "--key", paramLabel = "ID", description = "Of this key.")
  private @Nullable String key;

  @Option(names = "--aggregate-type", paramLabel = "NAME", description = "What the key is of.")
  private @Nullable String aggregateType;

  @Mixin private final BulkOptions bulk = new BulkOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    if ((key == null) != (aggregateType == null)) {
      throw new ParameterException(
          spec.commandLine(), "--key and --aggregate-type belong together");
    }
    if (ids.isEmpty() && from == null && to == null && type == null && key == null) {
      throw new ParameterException(
          spec.commandLine(), "which messages? Name them, or say which by options");
    }
    SentQuery query =
        SentQuery.to(destination)
            .between(Times.parse(spec, "--from", from), Times.parse(spec, "--to", to))
            .ofType(type)
            .ofKey(key == null || aggregateType == null ? null : Key.of(aggregateType, key))
            .only(ids);
    bulk.run(
        Operations.on(where.store()),
        Plan.resend(query),
        answer,
        "Send %,d messages to " + destination + " again?");
  }
}
