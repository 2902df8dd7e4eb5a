package io.posthorn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;

/** Messages that describe themselves. */
final class Messages {
  private Messages() {}

  static Message noted(String text) {
    return Message.of("Noted").json(text.getBytes(UTF_8)).build();
  }

  static Message changed(String order, String text) {
    return Message.of("OrderChanged").key("order", order).json(text.getBytes(UTF_8)).build();
  }
}
