package io.posthorn.cli.inbox;

import io.posthorn.cli.database.Times;
import io.posthorn.core.inbox.ReceiptQuery;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options that select receipts. */
final class ReceiptFilter {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--consumer",
      required = true,
      paramLabel = "NAME",
      description = "Receipts of this consumer.")
  private String consumer = "";

  @Option(names = "--sender", paramLabel = "NAME", description = "Only messages from this sender.")
  private @Nullable String sender;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description =
          "Only messages received since this time: 2026-01-31T10:00:00Z; or 2h, 3d for that long ago.")
  private @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only messages received before this time, written like --from.")
  private @Nullable String to;

  ReceiptQuery query() {
    return ReceiptQuery.of(consumer)
        .sender(sender)
        .received(Times.parse(spec, "--from", from), Times.parse(spec, "--to", to));
  }

  String consumer() {
    return consumer;
  }

  String sender() {
    return sender == null ? "" : sender;
  }

  boolean isBare() {
    return sender == null && from == null && to == null;
  }
}
