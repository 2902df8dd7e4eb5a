package io.posthorn.core.deadletter;

import io.posthorn.core.audit.By;
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

  DeadLetterFigures deadLetterFigures(int days);

  /**
   * Puts letters back on their way, in one transaction with the audit: before all that waits of
   * their keys, in their old order. A key that a letter held goes on. Refused are letters that do
   * not wait, and those whose message is parked.
   */
  Rescued requeue(List<UUID> letters, Requeue how, By by);

  /** Gives letters up, in one transaction with the audit. A key that a letter held goes on. */
  Rescued discard(List<UUID> letters, By by);
}
