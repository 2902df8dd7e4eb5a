package io.posthorn.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A secret shared with the receiver, as Standard Webhooks 1.0.0 defines it: {@code whsec_} and 24
 * to 64 random bytes in base64. To change a key, sign with both the old and the new one until the
 * receiver has the new one.
 */
public final class SigningKey {
  private static final String PREFIX = "whsec_";
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  private SigningKey(byte[] secret) {
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  public static SigningKey of(String secret) {
    byte[] bytes = decoded(secret);
    if (bytes.length < 24 || bytes.length > 64) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "a signing key was not accepted: it must be '%s' and 24 to 64 bytes in base64. Create one with: echo %s$(openssl rand -base64 32)"
              .formatted(PREFIX, PREFIX));
    }
    return new SigningKey(bytes);
  }

  private static byte[] decoded(String secret) {
    try {
      return secret.startsWith(PREFIX)
          ? Base64.getDecoder().decode(secret.substring(PREFIX.length()))
          : new byte[0];
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }

  /** Returns one entry of the header {@code webhook-signature}. */
  String sign(String id, long timestamp, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /** Returns whether this key made the entry; takes equally long for a wrong one. */
  boolean signed(String entry, String id, long timestamp, byte[] body) {
    return MessageDigest.isEqual(sign(id, timestamp, body).getBytes(UTF_8), entry.getBytes(UTF_8));
  }

  /** Reveals nothing of the secret. */
  @Override
  public String toString() {
    return "SigningKey";
  }
}
