package io.posthorn.core.operate.deadletter;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a person has written about a cause.
 *
 * @param note what is known about it, in at most 2,000 characters
 * @param owner who takes care of it, in at most 200 characters
 * @param who the person who wrote this
 */
public record CauseNote(@Nullable String note, @Nullable String owner, String who, Instant at) {
  private static final int NOTE = 2_000;
  private static final int OWNER = 200;

  static void check(@Nullable String note, @Nullable String owner) {
    if (note == null && owner == null) {
      throw refused("neither a note nor an owner was given. Give one of them, or both");
    }
    if (note != null && note.length() > NOTE) {
      throw refused(
          "the note has %,d characters. Shorten it to at most %,d".formatted(note.length(), NOTE));
    }
    if (owner != null && owner.length() > OWNER) {
      throw refused(
          "the owner has %,d characters. Shorten it to at most %,d"
              .formatted(owner.length(), OWNER));
    }
  }

  private static PosthornException refused(String why) {
    return new PosthornException(
        ErrorCode.INVALID_REQUEST, "the note was not written: " + why + ".");
  }
}
