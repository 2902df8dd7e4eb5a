package io.posthorn.api.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A token that programs send. It is random and long, so a plain SHA-256 protects it: there is
 * nothing to guess.
 *
 * @param hash the SHA-256 of the token, in hexadecimal
 * @param expires when it ends; null for never
 */
public record ApiToken(String name, String hash, Grants grants, @Nullable Instant expires) {
  private static final String PREFIX = "posthorn_";
  private static final int BYTES = 32;

  /** Makes a new token. Show it once, and store its {@link #hashOf} only. */
  public static String generate() {
    byte[] random = new byte[BYTES];
    new SecureRandom().nextBytes(random);
    return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(random);
  }

  /** The hash that the file has of this token. */
  public static String hashOf(String token) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(token.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  boolean isExpired(Instant now) {
    return expires != null && !now.isBefore(expires);
  }
}
