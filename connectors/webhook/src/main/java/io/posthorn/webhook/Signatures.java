package io.posthorn.webhook;

import java.time.Clock;
import java.util.List;
import java.util.Map;

/** Checks the three headers of Standard Webhooks. */
final class Signatures {
  private static final String TIMESTAMP = "webhook-timestamp";
  private static final String SIGNATURE = "webhook-signature";

  /** More than any sender has keys; what follows is not looked at. */
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
    // The signed text is id.time.body: with a dot in it, the id could pass for another.
    if (!id.matches("[!-~&&[^.]]{1,255}")) {
      throw refused("header webhook-id is too long, or has a dot or a space in it");
    }
    String time = required(headers, TIMESTAMP);
    if (!time.matches("[0-9]{1,12}")) {
      throw refused("header webhook-timestamp is not a number of seconds");
    }
    long timestamp = Long.parseLong(time);
    if (!isSigned(keys, required(headers, SIGNATURE), id, timestamp, body)) {
      throw refused("no signature in webhook-signature is that of a key known here");
    }
    long apart = Math.abs(clock.instant().getEpochSecond() - timestamp);
    if (apart > config.tolerance().toSeconds()) {
      throw refused(
          "it was signed %d seconds before or after now, more than %d is not allowed: is it a replay, or is a clock wrong?"
              .formatted(apart, config.tolerance().toSeconds()));
    }
  }

  /** Looks at all of them, whichever it is. */
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
      // told below, without what it says
    }
    throw new RefusedException(503, "NO_KEYS", "there are no keys to check signatures with");
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
