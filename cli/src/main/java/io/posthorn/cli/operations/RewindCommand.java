package io.posthorn.cli.operations;

import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.cli.database.Times;
import io.posthorn.core.operate.operation.Plan;
import java.time.Instant;
import java.util.Objects;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends one destination everything since a time. */
@Command(
    name = "rewind",
    description =
        "Send a destination all messages of its routes since a time, whether they were sent before or not.",
    exitCodeList = {
      Exit.DONE_LINE,
      Exit.NOTHING_DONE_LINE,
      Exit.USAGE_LINE,
      Exit.PARTLY_LINE,
      Exit.DIED_LINE,
      Exit.TIMED_OUT_LINE
    },
    footerHeading = "%nExample:%n",
    footer = "  posthorn destinations rewind mail --to 2h --why \"the receiver lost its data\"")
public final class RewindCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final BulkOptions bulk = new BulkOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Option(
      names = "--to",
      required = true,
      paramLabel = "TIME",
      description =
          "Send all messages since this time: 2026-01-31T10:00:00Z; or 2h, 3d for that long ago.")
  private String to = "";

  @Override
  public void run() {
    Instant since = Objects.requireNonNull(Times.parse(spec, "--to", to));
    bulk.run(
        where.store(),
        Plan.rewind(destination, since),
        answer,
        "message",
        count ->
            "Send %s since %s to %s?"
                .formatted(count.of("message"), Answer.time(since), destination));
  }
}
