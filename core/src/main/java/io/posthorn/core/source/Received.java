package io.posthorn.core.source;

import io.posthorn.core.message.Headers;
import io.posthorn.core.message.Message;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message as it came from a source. Its sequence is the sender's, 0 if the sender tells none.
 *
 * @param sender who sent it, as the envelope says, else the address it came from; ids are unique
 *     within a sender
 * @param redelivered the source thinks that it handed this out before: a hint and no more, because
 *     a message that its sender repeats comes without it
 * @param place where it was found; means something to its feed only
 */
public record Received(
    String sender, Message message, boolean redelivered, @Nullable Object place) {
  public Received(String sender, Message message) {
    this(sender, message, false, null);
  }

  /**
   * A message that a relay hands to a handler: from its parked ones with the sender it came from,
   * from the log with this one.
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
