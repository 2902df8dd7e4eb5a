package io.posthorn.console.text;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Key;

/** Keys as people write them: {@code Order/4711}. */
public final class KeyText {
  private KeyText() {}

  /** Reads a key with its aggregate type. */
  public static Key parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 1 || slash == text.length() - 1) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "'%s' is not a key: write the type and the id of the aggregate, for example Order/4711."
              .formatted(text.length() > 100 ? text.substring(0, 100) + "…" : text));
    }
    return new Key(text.substring(0, slash), text.substring(slash + 1));
  }
}
