package io.posthorn.core.deadletter;

import io.posthorn.core.audit.By;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What could not be delivered, and what a person can do about it. Every change is audited in the
 * same transaction.
 */
public final class DeadLetters {
  private static final int CHUNK = 500;

  private final DeadLetterStore store;

  private DeadLetters(DeadLetterStore store) {
    this.store = store;
  }

  public static DeadLetters on(DeadLetterStore store) {
    return new DeadLetters(store);
  }

  // ---- sight

  /** Oldest first; {@code after} is the last letter of the page before. */
  public List<DeadLetter> list(DeadLetterQuery query, @Nullable DeadLetter after, int limit) {
    return store.letters(query, after, limit);
  }

  public long count(DeadLetterQuery query) {
    return store.countLetters(query);
  }

  public Optional<DeadLetterDetail> find(UUID letter) {
    return store.letter(letter);
  }

  /** Groups by cause, most letters first. */
  public List<Cause> causes(DeadLetterQuery query, int limit) {
    return store.causes(query, limit);
  }

  /** What somebody wrote down about a cause. It stays when the letters are gone. */
  public Optional<CauseNote> noteOf(String fingerprint) {
    return store.noteOf(fingerprint);
  }

  /**
   * Writes down what is known of a cause, and who sees to it. What is not given stays as it was;
   * what is empty is taken away.
   */
  public void note(String fingerprint, @Nullable String note, @Nullable String owner, By by) {
    CauseNote.check(note, owner);
    if (!store.note(fingerprint, note, owner, by)) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "the note was not written: there is no cause '%s', or no letter of it any more. The groups of dead letters name their causes."
              .formatted(fingerprint));
    }
  }

  /** Totals, rankings, and what came of rescues; letters per day for so many days. */
  public DeadLetterFigures figures(int days) {
    return store.deadLetterFigures(days);
  }

  // ---- rescue

  /** Puts these back on their way. With a corrected payload, one letter at a time. */
  public Rescued requeue(List<UUID> letters, Requeue how, By by) {
    if (how.payload() != null && letters.size() != 1) {
      throw new PosthornException(
          ErrorCode.CONFIGURATION,
          "nothing was requeued: a corrected payload belongs to one letter and %,d were named. Requeue them one by one."
              .formatted(letters.size()));
    }
    return inChunks(letters, chunk -> store.requeue(chunk, how, by));
  }

  /** Tries these once; what fails again is dead at once. */
  public Rescued sendOnce(List<UUID> letters, By by) {
    return requeue(letters, Requeue.ONCE, by);
  }

  /** Gives these up and keeps the evidence. */
  public Rescued discard(List<UUID> letters, By by) {
    return inChunks(letters, chunk -> store.discard(chunk, by));
  }

  private interface Chunk {
    Rescued rescue(List<UUID> letters);
  }

  /** Short transactions, so that no lane waits for long. */
  private static Rescued inChunks(List<UUID> letters, Chunk work) {
    int done = 0;
    Map<UUID, String> refused = new HashMap<>();
    for (int from = 0; from < letters.size(); from += CHUNK) {
      List<UUID> chunk =
          new ArrayList<>(letters.subList(from, Math.min(from + CHUNK, letters.size())));
      Rescued rescued = work.rescue(chunk);
      done += rescued.done();
      refused.putAll(rescued.refused());
    }
    return new Rescued(done, Map.copyOf(refused));
  }
}
