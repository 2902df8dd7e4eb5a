package io.posthorn.cli.dead;

import io.posthorn.cli.database.FilterOptions;
import io.posthorn.cli.database.Ids;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.id.IdPrefix;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that select dead letters. */
final class LetterFilter {
  @Mixin private final FilterOptions common = new FilterOptions();

  @Option(names = "--destination", paramLabel = "NAME", description = "Only for this destination.")
  private @Nullable String destination;

  @Option(
      names = "--reason",
      paramLabel = "CODE",
      description = "Only with this reason, for example HTTP_500.")
  private @Nullable String reason;

  @Option(
      names = "--error",
      paramLabel = "TEXT",
      description = "Only if the error contains this text; case is ignored.")
  private @Nullable String error;

  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      description = "Only with this header; may be repeated.")
  private Map<String, String> headers = new LinkedHashMap<>();

  @Option(
      names = "--cause",
      paramLabel = "FINGERPRINT",
      description = "Only of this cause; 'dead groups' lists the causes.")
  private @Nullable String cause;

  @Option(
      names = "--message",
      paramLabel = "ID",
      description = "Only of the message with this id, or whose id begins so.")
  private @Nullable IdPrefix message;

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description =
          "Only in this state: DEAD (the default), REQUEUED, SENT, DISCARDED; may be repeated.")
  private Set<DeadLetter.State> states = new LinkedHashSet<>();

  /** Returns whether no option, except for the state, was given. */
  boolean isEmpty() {
    return common.isEmpty()
        && destination == null
        && reason == null
        && error == null
        && headers.isEmpty()
        && cause == null
        && message == null;
  }

  /** Returns the query for commands that change dead letters. Fails if the key has no type. */
  DeadLetterQuery queryToChange(OperatorStore store) {
    common.key().refuseIdAlone();
    return query(store);
  }

  DeadLetterQuery query(OperatorStore store) {
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
            .messageId(message == null ? null : Ids.ofMessages(store).whole(message));
    headers.forEach(query::header);
    if (!states.isEmpty()) {
      query.states(states);
    }
    return query.build();
  }
}
