package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Text from strangers: databases take neither the zero character nor half of a pair. */
final class Texts {
  private static final int DIGEST = 32;

  private Texts() {}

  /** None if these bytes are no UTF-8. */
  static @Nullable String utf8(byte[] bytes) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  static boolean isText(String text) {
    return text.indexOf('\0') < 0 && UTF_8.newEncoder().canEncode(text);
  }

  /** As text, and no longer than this. */
  static String clean(String text, int most) {
    String cleaned =
        isText(text) ? text : new String(text.getBytes(UTF_8), UTF_8).replace('\0', '\uFFFD');
    if (cleaned.length() <= most) {
      return cleaned;
    }
    int end = Character.isHighSurrogate(cleaned.charAt(most - 2)) ? most - 2 : most - 1;
    return cleaned.substring(0, end) + "…";
  }

  /** A name no longer than this; two that differ still do. */
  static String fit(String name, int most) {
    if (name.length() <= most) {
      return name;
    }
    return clean(name, most - DIGEST) + digest(name);
  }

  private static String digest(String text) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
      return HexFormat.of().formatHex(digest, 0, DIGEST / 2);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
