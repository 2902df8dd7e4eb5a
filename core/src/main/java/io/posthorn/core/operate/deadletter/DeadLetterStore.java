package io.posthorn.core.operate.deadletter;

import io.posthorn.core.operate.audit.Actor;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The side of a store for whoever mends what could not be delivered. */
public interface DeadLetterStore {
  /** Oldest first, after this one. */
  List<DeadLetter> letters(DeadLetterQuery query, @Nullable DeadLetter after, int limit);

  long countLetters(DeadLetterQuery query);

  Optional<DeadLetterDetail> letter(UUID id);

  /** Most letters first. */
  List<Cause> causes(DeadLetterQuery query, int limit);

  /** What somebody wrote down about a cause, also if its letters are gone. */
  Optional<CauseNote> noteOf(String fingerprint);

  /**
   * Writes down what is known of a cause and who sees to it, in one transaction with the audit;
   * false if there is no such cause.
   *
   * @param note none = as it was, empty = none
   * @param owner none = as it was, empty = none
   */
  boolean note(String fingerprint, @Nullable String note, @Nullable String owner, Actor by);

  DeadLetterFigures deadLetterFigures(int days);

  /**
   * Puts letters back on their way, in one transaction with the audit: before all that waits of
   * their keys, in their old order. A key that a letter held goes on. Refused are letters that do
   * not wait, and those whose message is parked. A corrected payload is kept with its letter.
   */
  Rescued requeue(List<UUID> letters, Requeue how, Actor by);

  /** Gives letters up, in one transaction with the audit. A key that a letter held goes on. */
  Rescued discard(List<UUID> letters, Actor by);
}
