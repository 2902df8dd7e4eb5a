package io.posthorn.console.text;

import io.posthorn.api.mask.ShownPayload;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A payload on the screen.
 *
 * @param about size and content type
 * @param text the payload, laid out; null if it is hidden
 * @param note why something is hidden; null if nothing is
 * @param cut what was left out because it is too long; null if nothing was
 */
public record ShownText(
    String about, @Nullable String text, @Nullable String note, @Nullable String cut) {
  private static final int MOST = 60_000;

  /** What the viewer may see of it. */
  public static ShownText of(ShownPayload payload) {
    String about =
        "%s of %s".formatted(Words.bytes(payload.bytes()), Words.text(payload.contentType(), 80));
    String text = payload.text();
    if (text == null && payload.base64() == null) {
      return new ShownText(about, null, payload.note(), null);
    }
    boolean binary = text == null;
    String shown = text == null ? Objects.requireNonNull(payload.base64()) : Json.laidOut(text);
    boolean cut = shown.length() > MOST;
    return new ShownText(
        binary ? about + ", not valid UTF-8, shown as Base64" : about,
        Visible.block(cut ? shown.substring(0, MOST) : shown),
        payload.note(),
        cut ? "The first %,d of %,d characters are shown.".formatted(MOST, shown.length()) : null);
  }
}
