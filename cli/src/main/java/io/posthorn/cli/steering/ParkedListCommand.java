package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.KeyOption;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.message.Key;
import io.posthorn.core.operate.steering.ParkedMessage;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.store.Waiting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists parked messages and what they wait for. */
@Command(
    name = "list",
    description =
        "List parked messages and what they wait for: the first of each key, or all of one key in order.")
final class ParkedListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Name of the destination.")
  private String destination = "";

  @Option(
      names = "--limit",
      defaultValue = "20",
      paramLabel = "N",
      description = "Show up to N messages; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Mixin private final KeyOption key = new KeyOption();

  @Option(
      names = "--after",
      paramLabel = "MESSAGE",
      description = "Continue after this message, the last one of the previous page.")
  private @Nullable UUID after;

  @Override
  public void run() {
    List<ParkedMessage> parked = find(Steering.on(where.store()), key.key());
    answer.value(parked.stream().map(ParkedListCommand::json).toList());
    if (parked.isEmpty()) {
      answer.say("nothing is parked for " + destination);
      return;
    }
    print(parked);
    if (parked.size() == limit) {
      answer.say("there may be more; continue with --after " + parked.get(limit - 1).messageId());
    }
  }

  private List<ParkedMessage> find(Steering steering, @Nullable Key one) {
    return one == null
        ? steering.parked(destination, after, limit)
        : steering.parked(destination, one, after, limit);
  }

  private void print(List<ParkedMessage> parked) {
    answer.table(
        List.of(
            "message", "key", "type", "waits for", "next attempt", "attempts", "behind", "error"),
        parked.stream().map(ParkedListCommand::row).toList());
  }

  private static String key(ParkedMessage message) {
    return message.key() == null ? "" : message.key().toString();
  }

  private static List<String> row(ParkedMessage message) {
    return List.of(
        message.messageId().toString(),
        key(message),
        message.type(),
        waitsFor(message),
        message.nextAttemptAt() == null ? "" : Answer.time(message.nextAttemptAt()),
        Integer.toString(message.attempts()),
        StateText.counted(message.behind(), ParkedMessage.MOST_BEHIND),
        message.lastError() == null ? "" : message.lastError());
  }

  private static String waitsFor(ParkedMessage message) {
    if (message.keyPaused()) {
      return "a person: key paused";
    }
    if (message.held()) {
      return "a person: key held";
    }
    return message.waiting() == Waiting.PAUSED ? "a person: type paused" : message.waiting().name();
  }

  private static Map<String, Object> json(ParkedMessage message) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("message_id", message.messageId().toString());
    map.put("type", message.type());
    KeyOption.put(map, message.key());
    map.put("waiting", message.waiting().name());
    map.put("held", message.held());
    map.put("key_paused", message.keyPaused());
    if (message.nextAttemptAt() != null) {
      map.put("next_attempt_at", message.nextAttemptAt().toString());
    }
    map.put("attempts", message.attempts());
    map.put("behind", message.behind());
    if (message.lastReason() != null) {
      map.put("last_reason", message.lastReason());
    }
    if (message.lastError() != null) {
      map.put("last_error", message.lastError());
    }
    return map;
  }
}
