package io.posthorn.cli.dead;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.operations.BulkOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.core.operate.operation.Operations;
import io.posthorn.core.operate.operation.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Selects the dead letters of a rescue. Named ones are rescued at once, those of a query by an
 * operation.
 */
final class Selection {
  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Mixin private final LetterFilter filter = new LetterFilter();

  @Parameters(
      paramLabel = "LETTER",
      arity = "0..*",
      description = "Ids of dead letters, as 'dead list' shows them; or select by options.")
  private List<UUID> ids = new ArrayList<>();

  @Option(
      names = "--all",
      description = "All dead letters that wait; only without other options that select.")
  private boolean all;

  @Mixin private final BulkOptions bulk = new BulkOptions();

  List<UUID> ids() {
    return ids;
  }

  /** Rescues named dead letters. */
  interface Step {
    Rescued rescue(List<UUID> letters, Actor by);
  }

  void rescue(
      OperatorStore store,
      Answer answer,
      String verb,
      String done,
      Step named,
      Function<DeadLetterQuery, Plan> queried) {
    boolean query = !filter.isEmpty() || all;
    if (query && !ids.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "pass ids of dead letters or select by options, not both");
    }
    if (!query && ids.isEmpty()) {
      throw new ParameterException(
          spec.commandLine(), "which letters? Pass their ids, select by options, or pass --all");
    }
    if (query) {
      Plan plan = queried.apply(filter.queryToChange());
      bulk.run(
          Operations.on(store), plan, answer, count -> verb + " " + count.of("dead letter") + "?");
      return;
    }
    Rescued result = named.rescue(ids, bulk.by());
    Map<String, String> refused = new LinkedHashMap<>();
    result.refused().forEach((id, reason) -> refused.put(id.toString(), reason));
    answer.value(Map.of("done", result.done(), "refused", refused));
    answer.say("%,d %s".formatted(result.done(), done));
    if (!refused.isEmpty()) {
      throw notDone(result.done(), refused);
    }
  }

  /** Fails, so that a script notices. For a single letter, the first line says why. */
  private static CommandFailed notDone(int done, Map<String, String> refused) {
    List<String> lines =
        refused.entrySet().stream()
            .map(letter -> "letter " + letter.getKey() + " was not changed: " + letter.getValue())
            .toList();
    return refused.size() == 1
        ? new CommandFailed(lines.get(0), null)
        : new CommandFailed(
            "%,d of %,d dead letters were not changed"
                .formatted(refused.size(), done + refused.size()),
            String.join(System.lineSeparator(), lines),
            null);
  }
}
