package io.posthorn.cli.dead;

import io.posthorn.cli.database.Times;
import io.posthorn.core.deadletter.DeadLetter;
import io.posthorn.core.deadletter.DeadLetterQuery;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Which letters, as the command line says it. */
final class LetterFilter {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(names = "--destination", paramLabel = "NAME", description = "Died for this destination.")
  private @Nullable String destination;

  @Option(names = "--type", paramLabel = "TYPE", description = "Of this type.")
  private @Nullable String type;

  @Option(names = "--reason", paramLabel = "CODE", description = "For example HTTP_500.")
  private @Nullable String reason;

  @Option(names = "--key", paramLabel = "ID", description = "Of this key.")
  private @Nullable String key;

  @Option(names = "--aggregate-type", paramLabel = "NAME", description = "Of keys of this kind.")
  private @Nullable String aggregateType;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Dead since then: 2026-01-31T10:00:00Z, or 2h, 3d before now.")
  private @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Dead before then.")
  private @Nullable String to;

  @Option(names = "--error", paramLabel = "TEXT", description = "With this in the error's text.")
  private @Nullable String error;

  @Option(names = "--header", paramLabel = "NAME=VALUE", description = "With this header.")
  private Map<String, String> headers = new LinkedHashMap<>();

  @Option(
      names = "--cause",
      paramLabel = "FINGERPRINT",
      description = "Of this cause; 'dead groups' lists them.")
  private @Nullable String cause;

  @Option(names = "--message", paramLabel = "ID", description = "Of this message.")
  private @Nullable UUID message;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "DEAD (the default), REQUEUED, SENT, DISCARDED; may be repeated.")
  private Set<DeadLetter.State> states = new LinkedHashSet<>();

  /** Whether anything but the state was said. */
  boolean isEmpty() {
    return destination == null
        && type == null
        && reason == null
        && key == null
        && aggregateType == null
        && from == null
        && to == null
        && error == null
        && headers.isEmpty()
        && cause == null
        && message == null;
  }

  DeadLetterQuery query() {
    DeadLetterQuery.Builder query =
        DeadLetterQuery.builder()
            .destination(destination)
            .type(type)
            .reason(reason)
            .key(key)
            .aggregateType(aggregateType)
            .from(Times.parse(spec, "--from", from))
            .to(Times.parse(spec, "--to", to))
            .error(error)
            .fingerprint(cause)
            .messageId(message);
    headers.forEach(query::header);
    if (!states.isEmpty()) {
      query.states(states);
    }
    return query.build();
  }
}
