package io.posthorn.core.operate.deadletter;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What somebody wrote down about a cause.
 *
 * @param note what is known of it, at most 2,000 characters
 * @param owner who sees to it, at most 200 characters
 * @param who wrote it
 */
public record CauseNote(@Nullable String note, @Nullable String owner, String who, Instant at) {
  private static final int NOTE = 2_000;
  private static final int OWNER = 200;

  static void check(@Nullable String note, @Nullable String owner) {
    if (note == null && owner == null) {
      throw refused("neither a note nor an owner was given. Give one of them, or both");
    }
    if (note != null && note.length() > NOTE) {
      throw refused("it has %,d characters. Say it in at most %,d".formatted(note.length(), NOTE));
    }
    if (owner != null && owner.length() > OWNER) {
      throw refused(
          "the owner has %,d characters. Name one in at most %,d".formatted(owner.length(), OWNER));
    }
  }

  private static PosthornException refused(String why) {
    return new PosthornException(ErrorCode.INVALID_REQUEST, "the note was not written: " + why + ".");
  }
}
