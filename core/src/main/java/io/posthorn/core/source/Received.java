package io.posthorn.core.source;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that arrived from a source. Its sequence is the one that its sender set, or 0.
 *
 * @param sender the sender that the envelope names, or else the address it was received from; ids
 *     are unique within a sender
 * @param redelivered whether the broker believes that it delivered this message before. This is
 *     only a hint: a message that its sender repeats arrives without it
 * @param place where the feed found it; only the feed can interpret it
 */
public record Received(
    String sender, Message message, boolean redelivered, @Nullable Object place) {
  /** A message that was not redelivered and has no place. */
  public Received(String sender, Message message) {
    this(sender, message, false, null);
  }

  /**
   * A message that a relay hands to a handler.
   *
   * @param senderOfLog the sender if the message comes from the log; a parked message brings the
   *     sender it was received from
   */
  public static Received handedOver(Message message, String senderOfLog) {
    if (!message.headers().containsKey(Headers.SENDER)) {
      return new Received(senderOfLog, message);
    }
    Map<String, String> headers = new HashMap<>(message.headers());
    String sender = String.valueOf(headers.remove(Headers.SENDER));
    return new Received(sender, message.withHeaders(Map.copyOf(headers)));
  }

  @Override
  public String toString() {
    return message + " from " + sender;
  }
}
