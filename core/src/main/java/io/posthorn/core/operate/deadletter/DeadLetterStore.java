package io.posthorn.core.operate.deadletter;

import io.posthorn.core.operate.audit.Actor;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The side of a store for people who take care of dead letters. */
public interface DeadLetterStore {
  /** Returns letters, oldest first, after this one. */
  List<DeadLetter> letters(DeadLetterQuery query, @Nullable DeadLetter after, int limit);

  /** The number of letters that match. */
  long countLetters(DeadLetterQuery query);

  /** Returns a letter with all its details. */
  Optional<DeadLetterDetail> letter(UUID id);

  /** Groups letters by cause, those with most letters first. */
  List<Cause> causes(DeadLetterQuery query, int limit);

  /** What a person has written about a cause, even if its letters are gone. */
  Optional<CauseNote> noteOf(String fingerprint);

  /**
   * Writes what is known about a cause, and who takes care of it, in one transaction with the
   * audit.
   *
   * @param note null keeps the note, an empty text removes it
   * @param owner null keeps the owner, an empty text removes it
   * @return false if there is no such cause
   */
  boolean note(String fingerprint, @Nullable String note, @Nullable String owner, Actor by);

  /** Totals and rankings, with the letters per day for this number of days. */
  DeadLetterFigures deadLetterFigures(int days);

  /**
   * Requeues letters, in one transaction with the audit. They go before all waiting messages of
   * their keys, in their old order, and a key that a letter held continues.
   *
   * <p>A letter that does not wait for a person is refused, and so is one whose message is parked.
   * A corrected payload is kept with its letter.
   */
  Rescued requeue(List<UUID> letters, Requeue how, Actor by);

  /** Gives letters up, in one transaction with the audit. A key that a letter held continues. */
  Rescued discard(List<UUID> letters, Actor by);
}
