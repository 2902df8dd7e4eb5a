package io.posthorn.envelope;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers that the application set on its message. */
final class OwnHeaders {
  private OwnHeaders() {}

  /** Returns the headers as the transport carries them, in a modifiable map. */
  static Map<String, String> of(Message message, Transport transport) {
    Map<String, String> headers = new LinkedHashMap<>();
    message
        .headers()
        .forEach(
            (name, value) -> {
              if (!transport.takesHeader(name)) {
                throw new RejectedException(
                    Reason.INVALID_HEADER,
                    "header '%s' cannot be sent by %s: its name is not allowed there, or the envelope uses it. Rename the header."
                        .formatted(name, transport));
              }
              headers.put(name, transport.header(value));
            });
    return headers;
  }
}
