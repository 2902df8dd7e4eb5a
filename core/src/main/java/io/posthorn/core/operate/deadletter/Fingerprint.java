package io.posthorn.core.operate.deadletter;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Sha256;
import java.util.HexFormat;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether two failures have the same cause. A fingerprint covers the reason code, the place
 * in the code, and the error text without the parts that differ between messages: ids, numbers,
 * addresses and quoted values.
 */
public final class Fingerprint {
  private static final int FRAMES = 3;
  private static final int BYTES = 8;

  private static final Pattern UUID =
      Pattern.compile("\\b\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}\\b");
  private static final Pattern ADDRESS =
      Pattern.compile("\\b(\\d{1,3}\\.){3}\\d{1,3}(:\\d+)?\\b|\\[[0-9a-fA-F:]+](:\\d+)?");
  private static final Pattern EMAIL = Pattern.compile("[\\w.+-]+@[\\w.-]+");
  private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"|`[^`]*`");
  private static final Pattern HEX = Pattern.compile("\\b(0x\\p{XDigit}+|\\p{XDigit}{16,})\\b");
  private static final Pattern NUMBER = Pattern.compile("\\d+([.,:_-]\\d+)*");
  private static final Pattern SPACE = Pattern.compile("\\s+");
  private static final Pattern LINE = Pattern.compile("(:\\d+)?\\)");

  private Fingerprint() {}

  /** The fingerprint of a reason: sixteen hexadecimal digits. */
  public static String of(Reason reason) {
    return of(reason.code(), reason.text(), reason.stack());
  }

  /** The fingerprint of a reason with this code, text and stack trace. */
  public static String of(String code, String text, @Nullable String stack) {
    String cause = code + "\n" + normalised(text) + "\n" + frames(stack);
    return HexFormat.of().formatHex(Sha256.of(cause), 0, BYTES);
  }

  static String normalised(String text) {
    String normal = UUID.matcher(text).replaceAll("#");
    normal = EMAIL.matcher(normal).replaceAll("@");
    normal = ADDRESS.matcher(normal).replaceAll("#");
    normal = QUOTED.matcher(normal).replaceAll("''");
    normal = HEX.matcher(normal).replaceAll("#");
    normal = NUMBER.matcher(normal).replaceAll("#");
    return SPACE.matcher(normal).replaceAll(" ").strip();
  }

  /** The topmost frames, without line numbers, which change with every release. */
  private static String frames(@Nullable String stack) {
    if (stack == null) {
      return "";
    }
    StringBuilder top = new StringBuilder();
    stack
        .lines()
        .map(String::strip)
        .filter(line -> line.startsWith("at "))
        .limit(FRAMES)
        .forEach(line -> top.append(LINE.matcher(line).replaceAll(")")).append('\n'));
    return top.toString();
  }
}
