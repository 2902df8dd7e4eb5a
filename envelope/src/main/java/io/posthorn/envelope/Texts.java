package io.posthorn.envelope;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Cleans text from other systems: databases store neither zero characters nor lone surrogates. */
final class Texts {
  private static final int DIGEST = 32;

  private Texts() {}

  /** Returns the bytes as text, or null if they are not UTF-8. */
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

  /** Replaces characters that are not text, and cuts to this length. */
  static String clean(String text, int most) {
    String cleaned =
        isText(text) ? text : new String(text.getBytes(UTF_8), UTF_8).replace('\0', '\uFFFD');
    if (cleaned.length() <= most) {
      return cleaned;
    }
    int end = Character.isHighSurrogate(cleaned.charAt(most - 2)) ? most - 2 : most - 1;
    return cleaned.substring(0, end) + "…";
  }

  /** Shortens a name to this length; names that differ still differ afterwards. */
  static String fit(String name, int most) {
    if (name.length() <= most) {
      return name;
    }
    return clean(name, most - DIGEST) + HexFormat.of().formatHex(Sha256.of(name), 0, DIGEST / 2);
  }
}
