package io.posthorn.core.operate.deadletter;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.operate.audit.Actor;
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

  private final Correction correction;

  private DeadLetters(DeadLetterStore store, Correction correction) {
    this.store = store;
    this.correction = correction;
  }

  /**
   * Without knowing the types: of a corrected payload only its size, and its syntax if it is JSON,
   * are checked.
   */
  public static DeadLetters on(DeadLetterStore store) {
    return new DeadLetters(store, new Correction(null, Limits.DEFAULT, PayloadCipher.NONE));
  }

  /** A corrected payload is checked as {@code Outbox.add} checks a message of its type. */
  public static DeadLetters on(DeadLetterStore store, MessageTypes types) {
    return new DeadLetters(store, new Correction(types, Limits.DEFAULT, PayloadCipher.NONE));
  }

  /** Default: corrected payloads up to 1 MiB. */
  public DeadLetters limits(Limits yours) {
    return new DeadLetters(store, new Correction(correction.types(), yours, correction.cipher()));
  }

  /**
   * For correcting payloads that are encrypted; without it they can only be requeued as they are.
   */
  public DeadLetters cipher(PayloadCipher yours) {
    return new DeadLetters(store, new Correction(correction.types(), correction.limits(), yours));
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
  public void note(String fingerprint, @Nullable String note, @Nullable String owner, Actor by) {
    CauseNote.check(note, owner);
    if (!store.note(fingerprint, note, owner, by)) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "the note was not written: there is no cause '%s', or no letter of it any more. The groups of dead letters name their causes."
              .formatted(fingerprint));
    }
  }

  /** Totals, rankings, and what came of rescues; letters per day for so many days. */
  public DeadLetterFigures figures(int days) {
    return store.deadLetterFigures(days);
  }

  // ---- rescue

  /**
   * Puts these back on their way. With a corrected payload, one letter at a time; it is checked
   * first, and the letter keeps it beside the old one.
   */
  public Rescued requeue(List<UUID> letters, Requeue how, Actor by) {
    byte[] payload = how.payload();
    if (payload == null) {
      return inChunks(letters, chunk -> store.requeue(chunk, how, by));
    }
    if (letters.size() != 1) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "nothing was requeued: a corrected payload belongs to one letter and %,d were named. Requeue them one by one."
              .formatted(letters.size()));
    }
    Requeue checked =
        store.letter(letters.get(0)).map(letter -> correction.of(letter, how, payload)).orElse(how);
    return store.requeue(letters, checked, by);
  }

  /** Tries these once; what fails again is dead at once. */
  public Rescued sendOnce(List<UUID> letters, Actor by) {
    return requeue(letters, Requeue.ONCE, by);
  }

  /** Gives these up and keeps the evidence. */
  public Rescued discard(List<UUID> letters, Actor by) {
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
