package io.posthorn.cli.database;

import io.posthorn.core.error.Sanitiser;
import io.posthorn.core.message.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/** The headers of a message, for people's eyes. */
public final class ShownHeaders {
  private ShownHeaders() {}

  /** Those called tokens or passwords are shown only to those who want to see the payload too. */
  public static Map<String, String> of(Message message, boolean payload) {
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    if (!payload) {
      headers.replaceAll(Sanitiser::header);
    }
    return headers;
  }
}
