package io.posthorn.core.message;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The one hash that Posthorn uses: for ids, receipts, fingerprints, the audit and archives. */
public final class Sha256 {
  private Sha256() {}

  /** Starts a hash of several parts. */
  public static MessageDigest start() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** The hash of these bytes. */
  public static byte[] of(byte[] bytes) {
    return start().digest(bytes);
  }

  /** The hash of this text in UTF-8. */
  public static byte[] of(String text) {
    return of(text.getBytes(UTF_8));
  }
}
