package io.posthorn.envelope;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers that the application gave its message. */
final class OwnHeaders {
  private OwnHeaders() {}

  /** As the transport carries them, in a map that takes more. */
  static Map<String, String> of(Message message, Transport transport) {
    Map<String, String> headers = new LinkedHashMap<>();
    message
        .headers()
        .forEach(
            (name, value) -> {
              if (!transport.takesHeader(name)) {
                throw new RejectedException(
                    Reason.INVALID_HEADER,
                    "header '%s' cannot be carried by %s: the name is not allowed there, or the envelope uses it. Rename the header."
                        .formatted(name, transport));
              }
              headers.put(name, transport.header(value));
            });
    return headers;
  }
}
