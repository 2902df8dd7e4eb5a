package io.posthorn.cli.dead;

import io.posthorn.cli.database.FilterOptions;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which letters, as the command line says it. */
final class LetterFilter {
  @Mixin private final FilterOptions common = new FilterOptions();

  @Option(names = "--destination", paramLabel = "NAME", description = "Died for this destination.")
  private @Nullable String destination;

  @Option(names = "--reason", paramLabel = "CODE", description = "For example HTTP_500.")
  private @Nullable String reason;

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
    return common.isEmpty()
        && destination == null
        && reason == null
        && error == null
        && headers.isEmpty()
        && cause == null
        && message == null;
  }

  /** For commands that change letters; fails if the key has no type. */
  DeadLetterQuery queryToChange() {
    common.key().refuseIdAlone();
    return query();
  }

  DeadLetterQuery query() {
    DeadLetterQuery.Builder query =
        DeadLetterQuery.builder()
            .destination(destination)
            .type(common.type())
            .reason(reason)
            .key(common.key().id())
            .aggregateType(common.key().aggregateType())
            .from(common.from())
            .to(common.to())
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
