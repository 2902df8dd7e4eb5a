package io.posthorn.api.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.api.request.Requests;
import io.posthorn.core.operate.deadletter.Requeue;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * How one letter is requeued.
 *
 * @param newId whether it gets a new id, so that receivers take it for another message
 * @param text the corrected payload as text; null for the stored one
 * @param base64 the corrected payload as bytes; null for the stored one
 * @param unchecked whether the checks of the corrected payload are left out
 * @param why the reason, for the audit; not needed for a preview
 */
public record Rescue(
    @Nullable Boolean newId,
    @Nullable String text,
    @Nullable String base64,
    @Nullable Boolean unchecked,
    @Nullable String why) {
  Requeue how() {
    Requeue how = Boolean.TRUE.equals(newId) ? Requeue.SAME.withNewId() : Requeue.SAME;
    if (text != null && base64 != null) {
      throw Requests.wrong("nothing was requeued: give 'text' or 'base64', not both.");
    }
    if (text != null) {
      how = how.withPayload(text.getBytes(UTF_8));
    }
    if (base64 != null) {
      how = how.withPayload(bytes(base64));
    }
    return Boolean.TRUE.equals(unchecked) ? how.unchecked() : how;
  }

  private static byte[] bytes(String base64) {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw Requests.wrong("nothing was requeued: 'base64' is not valid Base64.");
    }
  }
}
