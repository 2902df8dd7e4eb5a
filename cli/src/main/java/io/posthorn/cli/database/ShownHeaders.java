package io.posthorn.cli.database;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers of a message, as they are shown to people. */
public final class ShownHeaders {
  private ShownHeaders() {}

  /**
   * Hides the values of headers that are named like tokens or passwords, unless the payload is
   * shown too.
   */
  public static Map<String, String> of(Message message, boolean payload) {
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    if (!payload) {
      headers.replaceAll(Sanitiser::header);
    }
    return headers;
  }
}
