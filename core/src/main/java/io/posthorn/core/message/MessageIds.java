package io.posthorn.core.message;

import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Converts ids of other systems to UUIDs, for example a request number or a broker's message id.
 */
public final class MessageIds {
  private static final Pattern IS_UUID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private MessageIds() {}

  /**
   * Converts an id to a UUID. An id that is a UUID stays as it is. Any other id is hashed together
   * with the sender, because "1" of one sender is not "1" of another: the same two always give the
   * same UUID (RFC 9562, version 8, from their SHA-256).
   */
  public static UUID of(String sender, String id) {
    return IS_UUID.matcher(id).matches() ? UUID.fromString(id) : named(sender, id);
  }

  /** Makes a new id that contains the time, for a received message without an id or a place. */
  public static UUID fresh() {
    return UuidV7.at(System.currentTimeMillis());
  }

  private static UUID named(String sender, String id) {
    // The length keeps two different pairs from giving the same text.
    String name = sender.length() + ":" + sender + id;
    ByteBuffer hash = ByteBuffer.wrap(Sha256.of(name));
    long high = (hash.getLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x8000L;
    long low = (hash.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }
}
