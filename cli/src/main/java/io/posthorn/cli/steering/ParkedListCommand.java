package io.posthorn.cli.steering;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.StoreOptions;
import io.posthorn.core.steering.ParkedMessage;
import io.posthorn.core.steering.Steering;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** What waits, and for what. */
@Command(
    name = "list",
    description = "List what is parked: the first of each key, and how many wait behind it.")
final class ParkedListCommand implements Runnable {
  @Mixin private final StoreOptions where = new StoreOptions();
  @Mixin private final Answer answer = new Answer();

  @Parameters(index = "0", paramLabel = "DESTINATION", description = "Its name.")
  private String destination = "";

  @Option(
      names = "--limit",
      defaultValue = "20",
      paramLabel = "N",
      description = "At most so many; default: ${DEFAULT-VALUE}.")
  private int limit;

  @Override
  public void run() {
    List<ParkedMessage> parked = Steering.on(where.store()).parked(destination, limit);
    answer.value(parked.stream().map(ParkedListCommand::json).toList());
    if (parked.isEmpty()) {
      answer.say("nothing is parked for " + destination);
      return;
    }
    answer.table(
        List.of("message", "key", "type", "waits for", "next attempt", "tries", "behind", "error"),
        parked.stream().map(ParkedListCommand::row).toList());
  }

  private static String key(ParkedMessage message) {
    return message.key() == null ? "" : message.key().aggregateType() + "/" + message.key().id();
  }

  private static List<String> row(ParkedMessage message) {
    return List.of(
        message.messageId().toString(),
        key(message),
        message.type(),
        message.held() ? "a person" : message.waiting().name(),
        message.nextAttemptAt() == null ? "" : Answer.time(message.nextAttemptAt()),
        Integer.toString(message.attempts()),
        "%,d".formatted(message.behind()),
        message.lastError() == null ? "" : message.lastError());
  }

  private static Map<String, Object> json(ParkedMessage message) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("message_id", message.messageId().toString());
    map.put("type", message.type());
    if (message.key() != null) {
      map.put("key", key(message));
    }
    map.put("waiting", message.waiting().name());
    map.put("held", message.held());
    if (message.nextAttemptAt() != null) {
      map.put("next_attempt_at", message.nextAttemptAt().toString());
    }
    map.put("attempts", message.attempts());
    map.put("behind", message.behind());
    if (message.lastReason() != null) {
      map.put("last_reason", message.lastReason());
    }
    return map;
  }
}
