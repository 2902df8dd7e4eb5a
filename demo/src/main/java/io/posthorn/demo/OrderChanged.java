package io.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The message that the shop sends about a change of an order.
 *
 * @param version number of this committed change of the order, from 1 on, without gaps
 * @param doomed true if its transaction will be rolled back, so no destination must ever get it
 */
record OrderChanged(String order, long version, boolean doomed) {
  static final String TYPE = "OrderChanged";

  private static final Pattern JSON =
      Pattern.compile("\\{\"order\":\"([^\"]+)\",\"version\":(\\d+),\"doomed\":(true|false)}");

  Message message() {
    String json = "{\"order\":\"%s\",\"version\":%d,\"doomed\":%b}";
    return Message.of(TYPE)
        .key("Order", order)
        .json(json.formatted(order, version, doomed).getBytes(UTF_8))
        .build();
  }

  static OrderChanged of(Message message) {
    String json = new String(message.payload(), UTF_8);
    Matcher parts = JSON.matcher(json);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not a message of the shop: " + json);
    }
    return new OrderChanged(
        parts.group(1), Long.parseLong(parts.group(2)), Boolean.parseBoolean(parts.group(3)));
  }
}
