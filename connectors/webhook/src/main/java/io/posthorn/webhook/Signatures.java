package io.posthorn.webhook;

import java.time.Clock;
import java.util.List;
import java.util.Map;

/** Checks the three headers of Standard Webhooks. */
final class Signatures {
  private static final String TIMESTAMP = "webhook-timestamp";
  private static final String SIGNATURE = "webhook-signature";

  /** More than the number of keys of any sender; further entries are ignored. */
  private static final int MOST_ENTRIES = 10;

  private final ReceiverConfig config;
  private final Clock clock;

  Signatures(ReceiverConfig config, Clock clock) {
    this.config = config;
    this.clock = clock;
  }

  void check(Map<String, String> headers, byte[] body) {
    if (config.signingKeys() == null) {
      return;
    }
    List<SigningKey> keys = keys();
    String id = required(headers, WebhookReceiver.ID);
    // The signed text is id.time.body. An id that contains a dot could pass for another one.
    if (!id.matches("[!-~&&[^.]]{1,255}")) {
      throw refused("header webhook-id is too long, or contains a dot or a space");
    }
    String time = required(headers, TIMESTAMP);
    if (!time.matches("[0-9]{1,12}")) {
      throw refused("header webhook-timestamp is not a number of seconds");
    }
    long timestamp = Long.parseLong(time);
    if (!isSigned(keys, required(headers, SIGNATURE), id, timestamp, body)) {
      throw refused("no signature in webhook-signature matches a configured key");
    }
    long apart = Math.abs(clock.instant().getEpochSecond() - timestamp);
    if (apart > config.tolerance().toSeconds()) {
      throw refused(
          "the request was signed %d seconds before or after now, but at most %d are allowed. It may be a replay, or a clock may be wrong."
              .formatted(apart, config.tolerance().toSeconds()));
    }
  }

  /**
   * Tries all keys with all entries, even after a match, so that the time taken reveals nothing.
   */
  private static boolean isSigned(
      List<SigningKey> keys, String header, String id, long timestamp, byte[] body) {
    String[] entries = header.strip().split(" +", MOST_ENTRIES + 1);
    boolean signed = false;
    for (SigningKey key : keys) {
      for (int i = 0; i < Math.min(entries.length, MOST_ENTRIES); i++) {
        signed |= key.signed(entries[i], id, timestamp, body);
      }
    }
    return signed;
  }

  private List<SigningKey> keys() {
    try {
      var supplier = config.signingKeys();
      List<SigningKey> keys = supplier == null ? List.of() : supplier.get();
      if (!keys.isEmpty()) {
        return keys;
      }
    } catch (RuntimeException e) {
      // reported below, without the exception's text
    }
    throw new RefusedException(503, "NO_KEYS", "the keys for checking signatures are missing");
  }

  private static String required(Map<String, String> headers, String name) {
    String value = headers.get(name);
    if (value == null || value.isBlank()) {
      throw refused("header " + name + " is missing");
    }
    return value;
  }

  private static RefusedException refused(String text) {
    return new RefusedException(401, "NOT_GENUINE", text);
  }
}
