package io.posthorn.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.MessageStory.DeliveryStory;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Formats messages for the output of a failed test. */
final class MessageText {
  private static final int LONGEST = 300;

  private MessageText() {}

  static String list(List<MessageWithDeliveries> messages) {
    if (messages.isEmpty()) {
      return "  nothing";
    }
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < messages.size(); i++) {
      lines.append("  ").append(i + 1).append(". ").append(line(messages.get(i))).append('\n');
    }
    return lines.substring(0, lines.length() - 1);
  }

  static String line(MessageWithDeliveries held) {
    Message message = held.message();
    return "%s, %s, %s%s%s"
        .formatted(
            message.type(),
            message.key() == null ? "no key" : "key " + message.key(),
            payload(message),
            message.headers().isEmpty() ? "" : ", headers " + message.headers(),
            held.deliveries().stream()
                .map(delivery -> "\n       " + delivery(delivery))
                .collect(Collectors.joining()));
  }

  private static String delivery(DeliveryStory delivery) {
    String text = "'%s': %s".formatted(delivery.destination(), delivery.state());
    if (delivery.nextAttemptAt() != null) {
      text += ", next attempt at " + delivery.nextAttemptAt();
    }
    if (delivery.deadReason() != null) {
      text += ", " + delivery.deadReason();
    }
    return delivery.lastError() == null ? text : text + ", " + delivery.lastError();
  }

  static String payload(Message message) {
    String type = message.contentType().toLowerCase(Locale.ROOT);
    if (!type.contains("json") && !type.startsWith("text/") && !type.contains("xml")) {
      return "%,d bytes of %s".formatted(message.payload().length, message.contentType());
    }
    String text = new String(message.payload(), UTF_8);
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
  }
}
