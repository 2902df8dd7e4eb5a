package io.posthorn.core.source;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Something that came from a source and is no message that can be understood. It must not stop the
 * feed, nor come back for ever, nor vanish: it is received as a message of a type of its own, whose
 * payload is the body as it came and whose headers say why. A subscription makes a dead letter of
 * it without asking a handler.
 */
public final class Unreadable {
  public static final String TYPE = "posthorn.Unreadable";

  private static final String CODE = "unreadable-reason";
  private static final String TEXT = "unreadable-because";

  private Unreadable() {}

  /**
   * @param id never one that the sender chose: it may be that of another message
   * @param headers those that could be read
   */
  public static Message message(
      UUID id, byte[] body, Map<String, String> headers, Instant time, Reason reason) {
    Map<String, String> all = new LinkedHashMap<>(headers);
    all.put(CODE, reason.code());
    all.put(TEXT, reason.text());
    return new Message(
        id, true, TYPE, 1, null, body, "application/octet-stream", Map.copyOf(all), time, null);
  }

  /** Why this message could not be read; nothing if it is an ordinary one. */
  public static Optional<Reason> reason(Message message) {
    if (!message.type().equals(TYPE)) {
      return Optional.empty();
    }
    return Optional.of(
        Reason.of(
            message.headers().getOrDefault(CODE, Reason.UNKNOWN),
            message.headers().getOrDefault(TEXT, "it says no more")));
  }
}
