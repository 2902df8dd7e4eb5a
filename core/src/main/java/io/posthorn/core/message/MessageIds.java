package io.posthorn.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.UUID;
import java.util.regex.Pattern;

/** Ids of messages that others made, whose ids need not be UUIDs. */
public final class MessageIds {
  private static final Pattern UUID_TEXT =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private MessageIds() {}

  /**
   * The UUID that this text is; for any other text one that is made of it, always the same: a
   * UUIDv8 (RFC 9562) of the first bits of its SHA-256, which nobody can make two texts share.
   */
  public static UUID of(String text) {
    return UUID_TEXT.matcher(text).matches() ? UUID.fromString(text) : named(text);
  }

  /** A new one that carries the time, for a message that has none and comes from no fixed place. */
  public static UUID fresh() {
    return UuidV7.at(System.currentTimeMillis());
  }

  private static UUID named(String text) {
    try {
      ByteBuffer digest =
          ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
      long high = (digest.getLong() & 0xFFFF_FFFF_FFFF_0FFFL) | 0x8000L;
      long low = (digest.getLong() & 0x3FFF_FFFF_FFFF_FFFFL) | 0x8000_0000_0000_0000L;
      return new UUID(high, low);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
