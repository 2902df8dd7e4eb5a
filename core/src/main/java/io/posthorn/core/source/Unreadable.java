package io.posthorn.core.source;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * A message for something that arrived from a source and cannot be understood. It must not stop the
 * feed, return for ever, or vanish. So it is received as a message of the type {@value #TYPE}: its
 * payload is the body unchanged, and its headers say why it cannot be read. A subscription makes it
 * a dead letter without calling a handler.
 */
public final class Unreadable {
  /** The type of these messages. */
  public static final String TYPE = "posthorn.Unreadable";

  private static final String CODE = "unreadable-reason";
  private static final String TEXT = "unreadable-because";

  private Unreadable() {}

  /**
   * Makes such a message.
   *
   * @param id an id that the sender did not choose: the sender's may belong to another message
   * @param body the body as it arrived
   * @param headers the headers that could be read
   * @param reason why the rest could not be read
   */
  public static Message message(
      UUID id, byte[] body, Map<String, String> headers, Instant time, Reason reason) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(CODE, reason.code());
    all.put(TEXT, reason.text());
    return new Message(
        id, true, TYPE, 1, null, body, "application/octet-stream", Map.copyOf(all), time, null);
  }

  /** Why this message could not be read; empty for an ordinary message. */
  public static Optional<Reason> reason(Message message) {
    if (!message.type().equals(TYPE)) {
      return Optional.empty();
    }
    return Optional.of(
        Reason.of(
            message.headers().getOrDefault(CODE, Reason.UNKNOWN),
            message.headers().getOrDefault(TEXT, "no details are recorded")));
  }
}
