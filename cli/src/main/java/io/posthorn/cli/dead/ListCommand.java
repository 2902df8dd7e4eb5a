package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the oldest dead letters that match. */
@Command(name = "list", description = "List dead letters, oldest first.")
final class ListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final LetterFilter filter = new LetterFilter();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--limit",
      defaultValue = "20",
      paramLabel = "N",
      description = "Show up to N dead letters; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    OperatorStore store = where.store();
    DeadLetterQuery query = filter.query(store);
    DeadLetters letters = DeadLetters.on(store);
    long all = letters.count(query);
    List<DeadLetter> found = letters.list(query, null, limit);
    answer.value(Map.of("count", all, "letters", found.stream().map(Letters::json).toList()));
    if (found.isEmpty()) {
      answer.say("no dead letters");
      return;
    }
    answer.table(Letters.TITLES, found.stream().map(Letters::row).toList());
    if (all > found.size()) {
      answer.say("%,d of %,d shown; --limit shows more".formatted(found.size(), all));
    }
  }
}
