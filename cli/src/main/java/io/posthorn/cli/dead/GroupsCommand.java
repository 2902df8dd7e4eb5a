package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.OperatorStore;
import io.posthorn.core.operate.deadletter.Cause;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetters;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Groups dead letters by cause. Those of one cause most likely need the same fix. */
@Command(
    name = "groups",
    description = {
      "Group dead letters by cause, the largest group first.",
      "Dead letters of one cause most likely need the same fix."
    })
final class GroupsCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final LetterFilter filter = new LetterFilter();
  @Mixin private final Answer answer = new Answer();

  @Option(
      names = "--limit",
      defaultValue = "20",
      paramLabel = "N",
      description = "Show up to N causes; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    OperatorStore store = where.store();
    List<Cause> causes = DeadLetters.on(store).causes(filter.query(store), limit);
    answer.value(causes.stream().map(GroupsCommand::json).toList());
    if (causes.isEmpty()) {
      answer.say("no dead letters");
      return;
    }
    answer.table(
        List.of(
            "cause",
            "letters",
            "first",
            "last",
            "destinations",
            "types",
            "owner",
            "note",
            "reason",
            "error"),
        causes.stream().map(GroupsCommand::row).toList());
  }

  private static List<String> row(Cause cause) {
    CauseNote note = cause.note();
    return List.of(
        cause.fingerprint(),
        "%,d".formatted(cause.letters()),
        Answer.ago(cause.firstSeen()),
        Answer.ago(cause.lastSeen()),
        String.join(",", cause.destinations()),
        String.join(",", cause.types()),
        note == null || note.owner() == null ? "" : note.owner(),
        note == null || note.note() == null ? "" : note.note(),
        cause.reason(),
        cause.error());
  }

  private static Map<String, Object> json(Cause cause) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("cause", cause.fingerprint());
    map.put("letters", cause.letters());
    map.put("reason", cause.reason());
    map.put("error", cause.error());
    map.put("first_seen", cause.firstSeen().toString());
    map.put("last_seen", cause.lastSeen().toString());
    map.put("types", cause.types());
    map.put("destinations", cause.destinations());
    Map<String, Long> days = new TreeMap<>();
    cause.perDay().forEach((day, letters) -> days.put(day.toString(), letters));
    map.put("per_day", days);
    CauseNote note = cause.note();
    if (note != null) {
      map.put("noted_by", note.who());
      map.put("noted_at", note.at().toString());
    }
    if (note != null && note.note() != null) {
      map.put("note", note.note());
    }
    if (note != null && note.owner() != null) {
      map.put("owner", note.owner());
    }
    return map;
  }
}
