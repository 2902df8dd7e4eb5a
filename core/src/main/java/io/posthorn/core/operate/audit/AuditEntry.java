package io.posthorn.core.operate.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * One action. Each carries a hash over itself and the hash before it, so that an entry which was
 * changed or removed later breaks the chain.
 *
 * @param n from 1, without gaps
 * @param who the person or program, as it was said
 * @param role the role of the database that wrote it, as the database says
 * @param action for example {@code dead.requeue}
 * @param target what it was done to
 * @param before what was, where that matters
 * @param after what is
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
  /** What the first entry is chained to. */
  public static final String START = "0".repeat(64);

  /** Whether it follows the entry with this hash, and is as it was written. */
  public boolean follows(String previous) {
    return hash.equals(hashAfter(previous));
  }

  private String hashAfter(String previous) {
    MessageDigest digest = sha256();
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

  /** With its length, so that no text can be moved from one field to the next. */
  private static void add(MessageDigest digest, @Nullable String text) {
    byte[] bytes = text == null ? new byte[0] : text.getBytes(UTF_8);
    digest.update(ByteBuffer.allocate(4).putInt(text == null ? -1 : bytes.length).array());
    digest.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
