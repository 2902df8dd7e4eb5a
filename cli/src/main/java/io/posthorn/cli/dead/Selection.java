package io.posthorn.cli.dead;

import io.posthorn.cli.CommandFailed;
import io.posthorn.cli.Exit;
import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.Ids;
import io.posthorn.cli.operations.BulkOptions;
import io.posthorn.cli.operations.WaitOptions.Progress;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.deadletter.DeadLetter.Outcome;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.deadletter.Rescued;
import io.posthorn.core.operate.id.IdPrefix;
import io.posthorn.core.operate.operation.Plan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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
      description =
          "Ids of dead letters, as 'dead list' shows them, or their first digits; or select by options.")
  private List<IdPrefix> ids = new ArrayList<>();

  @Option(
      names = "--all",
      description = "All dead letters that wait; only without other options that select.")
  private boolean all;

  @Mixin private final BulkOptions bulk = new BulkOptions();

  /** How many letters were named. */
  int named() {
    return ids.size();
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
      boolean sends,
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
      Plan plan = queried.apply(filter.queryToChange(store));
      bulk.run(
          store, plan, answer, "dead letter", count -> verb + " " + count.of("dead letter") + "?");
      return;
    }
    bulk.waiting().check();
    List<UUID> letters = Ids.ofLetters(store).whole(ids).stream().distinct().toList();
    Rescued result = named.rescue(letters, bulk.by());
    Map<String, String> refused = new LinkedHashMap<>();
    result.refused().forEach((id, reason) -> refused.put(id.toString(), reason));
    answer.value(Map.of("done", result.done(), "refused", refused));
    answer.say("%,d %s".formatted(result.done(), done));
    if (bulk.waiting().isGiven() && sends && result.done() > 0) {
      await(store, answer, letters, result);
    }
    if (!refused.isEmpty()) {
      throw notDone(result.done(), refused);
    }
  }

  /** Waits for the outcomes of the letters that were queued. */
  private void await(OperatorStore store, Answer answer, List<UUID> letters, Rescued result) {
    List<UUID> open = new ArrayList<>(letters);
    open.removeAll(result.refused().keySet());
    long queued = open.size();
    long[] died = {0};
    bulk.waiting()
        .await(
            store,
            answer,
            "posthorn dead show LETTER",
            () -> {
              open.removeIf(
                  id -> {
                    Outcome outcome = outcome(store, id);
                    died[0] += outcome == null || outcome == Outcome.SENT ? 0 : 1;
                    return outcome != null;
                  });
              return new Progress(
                  queued,
                  queued - open.size() - died[0],
                  died[0],
                  open.isEmpty(),
                  "%,d of %,d sent, %,d died again"
                      .formatted(queued - open.size() - died[0], queued, died[0]));
            });
  }

  private static @Nullable Outcome outcome(OperatorStore store, UUID letter) {
    return DeadLetters.on(store).find(letter).map(detail -> detail.letter().outcome()).orElse(null);
  }

  /** Fails, so that a script notices. For a single letter, the first line says why. */
  private static CommandFailed notDone(int done, Map<String, String> refused) {
    List<String> lines =
        refused.entrySet().stream()
            .map(letter -> "letter " + letter.getKey() + " was not changed: " + letter.getValue())
            .toList();
    return done == 0 && refused.size() == 1
        ? new CommandFailed(lines.get(0), null)
        : new CommandFailed(
            done == 0 ? Exit.NOTHING_DONE : Exit.PARTLY,
            "%,d of %,d dead letters were not changed"
                .formatted(refused.size(), done + refused.size()),
            String.join(System.lineSeparator(), lines));
  }
}
