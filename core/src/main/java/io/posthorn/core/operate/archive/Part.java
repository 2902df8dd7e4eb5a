package io.posthorn.core.operate.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Sha256;
import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * A piece of an archive.
 *
 * @param day the UTC day of the first line
 * @param first the lowest place in the log
 * @param lines one JSON object per line, with payloads in base64; encrypted payloads stay encrypted
 */
public record Part(Kind kind, LocalDate day, long first, List<String> lines) {
  /** What the lines contain. */
  public enum Kind {
    /** Messages of the log. */
    MESSAGES,
    /** Dead letters. */
    LETTERS
  }

  public Part {
    lines = List.copyOf(lines);
  }

  /**
   * The name of the part. It describes the content and contains its hash: the same lines always
   * have the same name, and other lines never have it.
   */
  public String name() {
    return String.format(
        Locale.ROOT,
        "%s-%s-%019d-%d-%s",
        kind.name().toLowerCase(Locale.ROOT),
        day,
        first,
        lines.size(),
        digest(lines));
  }

  static String digest(Iterable<String> lines) {
    MessageDigest digest = Sha256.start();
    for (String line : lines) {
      digest.update(line.getBytes(UTF_8));
      digest.update((byte) '\n');
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
