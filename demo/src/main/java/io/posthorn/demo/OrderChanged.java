package io.posthorn.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the shop tells others about an order.
 *
 * @param version counts the changes of this order that were committed, from 1 on, without gaps
 * @param doomed its transaction was going to be rolled back, so nobody must ever see it
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
      throw new IllegalArgumentException("not what the shop wrote: " + json);
    }
    return new OrderChanged(
        parts.group(1), Long.parseLong(parts.group(2)), Boolean.parseBoolean(parts.group(3)));
  }
}
