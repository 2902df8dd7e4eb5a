package io.posthorn.core.operate.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Sha256;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * One action in the audit. Its hash covers the entry and the hash of the previous entry, so an
 * entry that is changed or removed later breaks the chain.
 *
 * @param n the number of the entry: from 1, without gaps
 * @param who the person or program that acted, as the caller named it
 * @param role the database role that wrote the entry, as the database reports it
 * @param action what was done, for example {@code dead.requeue}
 * @param target what it was done to
 * @param why the reason
 * @param before the value before, if there is one
 * @param after the value after, if there is one
 */
public record AuditEntry(
    long n,
    Instant at,
    String who,
    String role,
    String action,
    String target,
    String why,
    @Nullable String before,
    @Nullable String after,
    String hash) {
  /** The hash that the first entry follows. */
  public static final String START = "0".repeat(64);

  /** Whether this entry follows the entry with this hash and is unchanged. */
  public boolean follows(String previous) {
    return hash.equals(hashAfter(previous));
  }

  private String hashAfter(String previous) {
    MessageDigest digest = Sha256.start();
    add(digest, previous);
    add(digest, Long.toString(n));
    add(digest, at.toString());
    add(digest, who);
    add(digest, role);
    add(digest, action);
    add(digest, target);
    add(digest, why);
    add(digest, before);
    add(digest, after);
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Adds the length too, so that no text can be moved from one field to the next unnoticed. */
  private static void add(MessageDigest digest, @Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(UTF_8);
    digest.update(ByteBuffer.allocate(4).putInt(text == null ? -1 : bytes.length).array());
    digest.update(bytes);
  }
}
