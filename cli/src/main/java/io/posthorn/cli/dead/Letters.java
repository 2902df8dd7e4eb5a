package io.posthorn.cli.dead;

import io.posthorn.cli.database.Answer;
import io.posthorn.cli.database.KeyOption;
import io.posthorn.core.operate.deadletter.DeadLetter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Dead letters as table rows and as JSON. */
final class Letters {
  static final List<String> TITLES =
      List.of("letter", "dead", "destination", "type", "key", "reason", "error");

  private Letters() {}

  static List<String> row(DeadLetter letter) {
    return List.of(
        letter.id().toString(),
        Answer.ago(letter.createdAt()),
        letter.destination(),
        letter.type(),
        letter.key() == null ? "" : letter.key().toString(),
        letter.lastReason(),
        letter.error());
  }

  static Map<String, Object> json(DeadLetter letter) {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", letter.id().toString());
    map.put("destination", letter.destination());
    map.put("message_id", letter.messageId().toString());
    map.put("type", letter.type());
    KeyOption.put(map, letter.key());
    map.put("state", letter.state().name());
    map.put("reason", letter.reason());
    map.put("last_reason", letter.lastReason());
    map.put("error", letter.error());
    map.put("attempts", letter.attempts());
    map.put("created_at", letter.createdAt().toString());
    map.put("first_failed_at", letter.firstFailedAt().toString());
    map.put("last_failed_at", letter.lastFailedAt().toString());
    map.put("cause", letter.fingerprint());
    map.put("payload_bytes", letter.payloadBytes());
    if (letter.requeuedAt() != null) {
      map.put("requeued_at", letter.requeuedAt().toString());
    }
    if (letter.requeuedAs() != null) {
      map.put("requeued_as", letter.requeuedAs().toString());
    }
    if (letter.outcome() != null) {
      map.put("outcome", letter.outcome().name());
    }
    return map;
  }
}
