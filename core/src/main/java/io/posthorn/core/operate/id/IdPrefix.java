package io.posthorn.core.operate.id;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The beginning of an id, or a whole one. Ids are ordered by their digits, so those that begin
 * alike are a range of an index.
 *
 * @param digits hexadecimal digits in lower case, without hyphens
 */
public record IdPrefix(String digits) {
  /** The fewest digits. Fewer would match by accident. */
  public static final int SHORTEST = 4;

  private static final int WHOLE = 32;
  private static final Pattern DIGITS =
      Pattern.compile("[0-9a-f]{%d,%d}".formatted(SHORTEST, WHOLE));

  public IdPrefix {
    if (!DIGITS.matcher(digits).matches()) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "'%s' is not an id: write the id, or at least its first %d digits."
              .formatted(digits, SHORTEST));
    }
  }

  /** Reads the beginning of an id, with or without hyphens, in any case. */
  public static IdPrefix of(String text) {
    return new IdPrefix(text.strip().replace("-", "").toLowerCase(Locale.ROOT));
  }

  /** Whether this is a whole id. */
  public boolean isWhole() {
    return digits.length() == WHOLE;
  }

  /** The smallest id that begins so. */
  public UUID first() {
    return filled('0');
  }

  /** The largest id that begins so. */
  public UUID last() {
    return filled('f');
  }

  private UUID filled(char rest) {
    String all = digits + String.valueOf(rest).repeat(WHOLE - digits.length());
    return new UUID(
        Long.parseUnsignedLong(all.substring(0, WHOLE / 2), 16),
        Long.parseUnsignedLong(all.substring(WHOLE / 2), 16));
  }

  @Override
  public String toString() {
    return isWhole() ? first().toString() : digits;
  }
}
