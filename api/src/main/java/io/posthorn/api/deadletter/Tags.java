package io.posthorn.api.deadletter;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * Entity tags: they change when the thing does, so that nobody overwrites what they have not seen.
 */
final class Tags {
  /** The tag of a note that does not exist yet. */
  static final String NONE = "\"none\"";

  private Tags() {}

  static String of(DeadLetter letter) {
    return hash(
        letter.state()
            + "/"
            + letter.requeuedAt()
            + "/"
            + letter.requeuedAs()
            + "/"
            + letter.outcome());
  }

  static String of(@Nullable CauseNote note) {
    return note == null ? NONE : hash(note.toString());
  }

  private static String hash(String state) {
    return "\"" + UUID.nameUUIDFromBytes(state.getBytes(UTF_8)) + "\"";
  }

  /**
   * Checks the header If-Match.
   *
   * @param required whether a request without it is refused
   */
  static void check(@Nullable String ifMatch, String now, boolean required, String what) {
    if (ifMatch == null) {
      if (required) {
        throw new ResponseStatusException(
            HttpStatus.PRECONDITION_REQUIRED,
            "nothing was changed: send the header If-Match with the ETag of %s that you have read."
                .formatted(what));
      }
      return;
    }
    if (!ifMatch.equals("*") && !ifMatch.equals(now)) {
      throw new ResponseStatusException(
          HttpStatus.PRECONDITION_FAILED,
          "nothing was changed: %s has changed since you read it. Read it again.".formatted(what));
    }
  }
}
