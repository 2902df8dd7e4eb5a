package io.posthorn.cli.messages;

import io.posthorn.cli.database.KeyOption;
import io.posthorn.cli.database.ShownHeaders;
import io.posthorn.cli.inbox.Receipts;
import io.posthorn.core.inbox.Receipt;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.story.ListedMessage;
import io.posthorn.core.store.MessageStory;
import io.posthorn.core.store.MessageStory.Attempt;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import io.posthorn.core.store.MessageStory.Neighbour;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Messages as JSON. Fields without a value are left out. */
final class StoryJson {
  private final Map<String, Object> map = new LinkedHashMap<>();

  private StoryJson() {}

  static Map<String, Object> story(MessageStory story, List<Receipt> receipts, boolean payload) {
    Message message = story.message();
    StoryJson json =
        new StoryJson()
            .put("id", message.id())
            .put("seq", story.seq())
            .put("type", message.type())
            .put("schema_version", message.schemaVersion())
            .key(message.key())
            .put("occurred_at", message.occurredAt())
            .put("recorded_at", story.recordedAt())
            .put("not_before", message.notBefore())
            .put("requeued_from", story.requeuedFrom())
            .put("before", neighbour(story.before()))
            .put("after", neighbour(story.after()))
            .put("headers", ShownHeaders.of(message, payload))
            .put("content_type", message.contentType())
            .put("payload_bytes", message.payload().length)
            .put("cipher_key", story.cipherKey())
            .put("deliveries", story.deliveries().stream().map(StoryJson::delivery).toList())
            .put("receipts", Receipts.json(receipts));
    if (payload) {
      json.put("payload_base64", Base64.getEncoder().encodeToString(message.payload()));
    }
    return json.map;
  }

  /** Returns the JSON of a message that is known only by its receipts. */
  static Map<String, Object> received(UUID id, List<Receipt> receipts) {
    return new StoryJson().put("id", id).put("receipts", Receipts.json(receipts)).map;
  }

  static Map<String, Object> listed(ListedMessage message) {
    return new StoryJson()
        .put("id", message.id())
        .put("seq", message.seq())
        .put("type", message.type())
        .key(message.key())
        .put("correlation_id", message.correlationId())
        .put("recorded_at", message.recordedAt())
        .put("payload_bytes", message.payloadBytes())
        .put("states", message.states())
        .map;
  }

  private static Map<String, Object> delivery(DeliveryStory delivery) {
    return new StoryJson()
        .put("destination", delivery.destination())
        .put("state", delivery.state())
        .put("attempts", delivery.attempts())
        .put("next_attempt_at", delivery.nextAttemptAt())
        .put("locked_until", delivery.lockedUntil())
        .put("waiting", delivery.waiting())
        .put("last_error", delivery.lastError())
        .put("sent_at", delivery.sentAt())
        .put("dead_reason", delivery.deadReason())
        .put("requeued_as", delivery.requeuedAs())
        .put("history", delivery.history().stream().map(StoryJson::attempt).toList())
        .map;
  }

  private static Map<String, Object> attempt(Attempt attempt) {
    return new StoryJson()
        .put("attempt", attempt.number())
        .put("at", attempt.at())
        .put("outcome", attempt.outcome())
        .put("reason", attempt.reason())
        .put("error", attempt.error())
        .map;
  }

  private static @Nullable Map<String, Object> neighbour(@Nullable Neighbour neighbour) {
    return neighbour == null
        ? null
        : new StoryJson()
            .put("id", neighbour.id())
            .put("seq", neighbour.seq())
            .put("type", neighbour.type())
            .put("recorded_at", neighbour.recordedAt())
            .map;
  }

  private StoryJson key(@Nullable Key key) {
    KeyOption.put(map, key);
    return this;
  }

  /** Puts numbers, maps and lists unchanged, and everything else as text. Ignores null. */
  private StoryJson put(String name, @Nullable Object value) {
    if (value instanceof Number || value instanceof Map || value instanceof Iterable) {
      map.put(name, value);
    } else if (value != null) {
      map.put(name, value.toString());
    }
    return this;
  }
}
