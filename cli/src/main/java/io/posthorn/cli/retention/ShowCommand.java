package io.posthorn.cli.retention;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.operate.retention.Expiring;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionStatus.Leaf;
import io.posthorn.core.operate.retention.RetentionStatus.Unread;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows what is kept, and for which destination. */
@Command(
    name = "show",
    description =
        "Show how old and large each leaf of the log is, what it waits for, and which dead letters expire within a week.")
final class ShowCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final TimesOptions times = new TimesOptions();
  @Mixin private final Answer answer = new Answer();

  @Override
  public void run() {
    RetentionStatus status = where.store().retentionStatus(times.times());
    answer.value(json(status));
    answer.table(
        List.of("leaf", "oldest", "newest", "messages", "bytes", "purge"),
        status.leaves().stream().map(ShowCommand::row).toList());
    for (Leaf leaf : status.leaves()) {
      for (String reason : leaf.waitsFor()) {
        answer.say(leaf.name() + " waits: " + reason);
      }
    }
    answer.say("");
    answer.table(
        List.of("destination", "keeps bytes", "last progress"),
        status.unread().stream().map(ShowCommand::row).toList());
    answer.say("");
    if (status.expiring().isEmpty()) {
      answer.say("no dead letter will be removed within a week");
    }
    for (Expiring soon : status.expiring()) {
      answer.say(
          "%s of %s will be removed within a week, the first at %s"
              .formatted(
                  Count.exactly(soon.letters()).of("dead letter"),
                  soon.destination(),
                  Answer.time(soon.first())));
    }
  }

  private static List<String> row(Leaf leaf) {
    return List.of(
        leaf.name(),
        time(leaf.oldest()),
        time(leaf.newest()),
        "%,d".formatted(leaf.rows()),
        "%,d".formatted(leaf.bytes()),
        leaf.waitsFor().isEmpty() ? "can go" : "waits");
  }

  private static List<String> row(Unread unread) {
    return List.of(
        unread.destination(), "%,d".formatted(unread.bytes()), Answer.ago(unread.since()));
  }

  private static String time(@Nullable Instant time) {
    return time == null ? "" : Answer.time(time);
  }

  private static Map<String, Object> json(RetentionStatus status) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("leaves", status.leaves().stream().map(ShowCommand::json).toList());
    map.put("destinations", status.unread().stream().map(ShowCommand::json).toList());
    map.put("expiring", status.expiring().stream().map(ShowCommand::json).toList());
    return map;
  }

  private static Map<String, Object> json(Leaf leaf) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("leaf", leaf.name());
    map.put("oldest", time(leaf.oldest()));
    map.put("newest", time(leaf.newest()));
    map.put("messages", leaf.rows());
    map.put("bytes", leaf.bytes());
    map.put("waits_for", leaf.waitsFor());
    return map;
  }

  private static Map<String, Object> json(Unread unread) {
    return Map.of(
        "destination", unread.destination(),
        "bytes", unread.bytes(),
        "since", unread.since().toString());
  }

  private static Map<String, Object> json(Expiring soon) {
    return Map.of(
        "destination", soon.destination(),
        "letters", soon.letters(),
        "first", soon.first().toString());
  }
}
