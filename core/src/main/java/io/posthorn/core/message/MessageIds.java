package io.posthorn.core.message;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.regex.Pattern;

/** Makes UUIDs of the ids that others use: a request number, a foreign broker's message id. */
public final class MessageIds {
  private static final Pattern IS_UUID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private MessageIds() {}

  /**
   * The id itself if it is a UUID; else one made of the sender's name and the id, always the same
   * for the same two (RFC 9562, version 8, from their SHA-256). The sender is in it because "1" of
   * one sender is not "1" of another.
   */
  public static UUID of(String sender, String id) {
    return IS_UUID.matcher(id).matches() ? UUID.fromString(id) : named(sender, id);
  }

  /** A new one that carries the time, for a received message that has neither id nor place. */
  public static UUID fresh() {
    return UuidV7.at(System.currentTimeMillis());
  }

  private static UUID named(String sender, String id) {
    // With the length, so that no two pairs give the same text.
    String name = sender.length() + ":" + sender + id;
    ByteBuffer hash = ByteBuffer.wrap(sha256().digest(name.getBytes(StandardCharsets.UTF_8)));
    long high = (hash.getLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x8000L;
    long low = (hash.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
