package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.deadletter.DeadLetterFigures;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.core.operate.figures.Figures.Count;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows figures about dead letters. */
@Command(
    name = "summary",
    description =
        "Show how many dead letters wait, since when and why, and how many requeued ones were sent.")
final class SummaryCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--days",
      defaultValue = "7",
      paramLabel = "N",
      description = "Count dead letters per day for the last N days; default: ${DEFAULT-VALUE}.")
  private int days;

  @Override
  public void run() {
    DeadLetterFigures figures = DeadLetters.on(where.store()).figures(days);
    answer.value(json(figures));
    answer.say(
        "%s%s"
            .formatted(
                Count.exactly(figures.waiting()).of("dead letter waits", "dead letters wait"),
                figures.oldest() == null
                    ? ""
                    : ", the oldest died " + Answer.ago(figures.oldest())));
    answer.say(
        "%,d requeued: %,d sent, %,d dead again"
            .formatted(figures.requeued(), figures.requeuedSent(), figures.requeuedDead()));
    ranking("reason", figures.byReason());
    ranking("type", figures.byType());
    Map<String, Long> perDay = new LinkedHashMap<>();
    figures.perDay().forEach((day, letters) -> perDay.put(day.toString(), letters));
    ranking("day", perDay);
  }

  private void ranking(String title, Map<String, Long> counts) {
    if (!counts.isEmpty()) {
      answer.say("");
      answer.table(
          List.of(title, "letters"),
          counts.entrySet().stream()
              .map(entry -> List.of(entry.getKey(), "%,d".formatted(entry.getValue())))
              .toList());
    }
  }

  private static Map<String, Object> json(DeadLetterFigures figures) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("waiting", figures.waiting());
    if (figures.oldest() != null) {
      map.put("oldest", figures.oldest().toString());
    }
    map.put("by_reason", figures.byReason());
    map.put("by_type", figures.byType());
    Map<String, Long> perDay = new TreeMap<>();
    figures.perDay().forEach((day, letters) -> perDay.put(day.toString(), letters));
    map.put("per_day", perDay);
    map.put("requeued", figures.requeued());
    map.put("requeued_sent", figures.requeuedSent());
    map.put("requeued_dead", figures.requeuedDead());
    return map;
  }
}
