package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.KeyOption;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.steering.Pause;
import io.posthorn.core.operate.steering.Steering;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists what is paused, by whom, and why. */
@Command(name = "pauses", description = "List what is paused, by whom and why, oldest first.")
final class PausesCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--limit",
      defaultValue = "100",
      paramLabel = "N",
      description = "Show up to N pauses; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    List<Pause> pauses = Steering.on(where.store()).pauses(limit);
    answer.value(pauses.stream().map(PausesCommand::json).toList());
    if (pauses.isEmpty()) {
      answer.say("nothing is paused");
      return;
    }
    answer.table(
        List.of("paused", "since", "by", "why"),
        pauses.stream()
            .map(p -> List.of(p.scope().toString(), Answer.time(p.at()), p.who(), p.why()))
            .toList());
  }

  private static Map<String, Object> json(Pause pause) {
    Map<String, Object> map = new LinkedHashMap<>();
    if (pause.scope().destination() != null) {
      map.put("destination", pause.scope().destination());
    }
    if (pause.scope().type() != null) {
      map.put("type", pause.scope().type());
    }
    KeyOption.put(map, pause.scope().key());
    map.put("at", pause.at().toString());
    map.put("who", pause.who());
    map.put("why", pause.why());
    return map;
  }
}
