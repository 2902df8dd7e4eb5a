package io.posthorn.core.operate.deadletter;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Limits;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.message.PayloadCipher;
import io.posthorn.core.message.PayloadSchemas;
import io.posthorn.core.operate.audit.Actor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds dead letters, and rescues or discards them. Every change is audited in the same
 * transaction.
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
   * The dead letters of this store, without knowledge of the types. A corrected payload is checked
   * only for its size and, if it is JSON, for its syntax.
   */
  public static DeadLetters on(DeadLetterStore store) {
    return new DeadLetters(store, new Correction(null, Limits.DEFAULT, PayloadCipher.NONE));
  }

  /**
   * The dead letters of this store. A corrected payload is checked as {@code Outbox.add} checks a
   * message of its type.
   */
  public static DeadLetters on(DeadLetterStore store, MessageTypes types) {
    return on(store, () -> types);
  }

  /** The same for types that are complete only later; they are asked for at each use. */
  public static DeadLetters on(DeadLetterStore store, Supplier<MessageTypes> types) {
    return new DeadLetters(store, new Correction(types, Limits.DEFAULT, PayloadCipher.NONE));
  }

  /** Sets the limits of corrected payloads; default: 1 MiB. */
  public DeadLetters limits(Limits limits) {
    return new DeadLetters(
        store, new Correction(correction.knownTypes(), limits, correction.cipher()));
  }

  /** Encrypts corrected payloads; without it an encrypted payload cannot be corrected. */
  public DeadLetters cipher(PayloadCipher cipher) {
    return new DeadLetters(
        store, new Correction(correction.knownTypes(), correction.limits(), cipher));
  }

  // ---- finding

  /**
   * Returns a page of letters, oldest first.
   *
   * @param after the last letter of the previous page; null for the first page
   */
  public List<DeadLetter> list(DeadLetterQuery query, @Nullable DeadLetter after, int limit) {
    return store.letters(query, after, limit);
  }

  /** The number of letters that match. */
  public long count(DeadLetterQuery query) {
    return store.countLetters(query);
  }

  /** Returns a letter with all its details; empty if it is unknown. */
  public Optional<DeadLetterDetail> find(UUID letter) {
    return store.letter(letter);
  }

  /** Groups letters by cause, those with most letters first. */
  public List<Cause> causes(DeadLetterQuery query, int limit) {
    return store.causes(query, limit);
  }

  /** What a person has written about a cause. The note is kept when the letters are gone. */
  public Optional<CauseNote> noteOf(String fingerprint) {
    return store.noteOf(fingerprint);
  }

  /**
   * Writes what is known about a cause, and who takes care of it.
   *
   * @param note null keeps the note, an empty text removes it
   * @param owner null keeps the owner, an empty text removes it
   */
  public void note(String fingerprint, @Nullable String note, @Nullable String owner, Actor by) {
    CauseNote.check(note, owner);
    if (!store.note(fingerprint, note, owner, by)) {
      throw new PosthornException(
          ErrorCode.NOT_FOUND,
          "the note was not written: there is no dead letter with cause '%s'. 'posthorn dead groups' shows the causes."
              .formatted(fingerprint));
    }
  }

  /** Totals, rankings and results of rescues, with the letters per day for this number of days. */
  public DeadLetterFigures figures(int days) {
    return store.deadLetterFigures(days);
  }

  // ---- rescue

  /**
   * Shows what a requeue would deliver, in the version that this program's handlers read, and what
   * speaks against it. Nothing is changed. Empty if the letter is unknown.
   */
  public Optional<RequeuePreview> preview(UUID letter, Requeue how) {
    return store.letter(letter).map(detail -> correction.reading().preview(detail, how.payload()));
  }

  /**
   * Requeues letters. A corrected payload is possible for one letter at a time; it is checked
   * first, and the letter keeps it beside the original. A letter whose stored payload does not
   * match its schema is refused, unless {@code how} is {@link Requeue#unchecked}.
   */
  public Rescued requeue(List<UUID> letters, Requeue how, Actor by) {
    byte[] payload = how.payload();
    if (payload == null) {
      return requeueStored(letters, how, by);
    }
    if (letters.size() != 1) {
      throw new PosthornException(
          ErrorCode.INVALID_REQUEST,
          "nothing was requeued: a corrected payload belongs to one letter, but %,d letters were given. Requeue them one by one."
              .formatted(letters.size()));
    }
    Requeue checked =
        store.letter(letters.get(0)).map(letter -> correction.of(letter, how, payload)).orElse(how);
    return store.requeue(letters, checked, by);
  }

  private Rescued requeueStored(List<UUID> letters, Requeue how, Actor by) {
    Map<UUID, String> mismatches = how.checked() ? mismatches(letters) : Map.of();
    List<UUID> rest =
        mismatches.isEmpty()
            ? letters
            : letters.stream().filter(letter -> !mismatches.containsKey(letter)).toList();
    Rescued rescued = inChunks(rest, chunk -> store.requeue(chunk, how, by));
    Map<UUID, String> refused = new HashMap<>(rescued.refused());
    refused.putAll(mismatches);
    return new Rescued(rescued.done(), Map.copyOf(refused));
  }

  private Map<UUID, String> mismatches(List<UUID> letters) {
    Reading reading = correction.reading();
    Map<UUID, String> mismatches = new HashMap<>();
    if (reading.types().schemas() != PayloadSchemas.NONE) {
      for (UUID letter : letters) {
        store
            .letter(letter)
            .flatMap(reading::schemaProblem)
            .ifPresent(
                problem ->
                    mismatches.put(
                        letter,
                        problem
                            + ". Correct the payload, or skip this check: in Java Requeue.unchecked()"));
      }
    }
    return mismatches;
  }

  /** Sends letters once. A letter that fails again is dead at once. */
  public Rescued sendOnce(List<UUID> letters, Actor by) {
    return requeue(letters, Requeue.ONCE, by);
  }

  /** Gives letters up. They are kept as evidence. */
  public Rescued discard(List<UUID> letters, Actor by) {
    return inChunks(letters, chunk -> store.discard(chunk, by));
  }

  private interface Chunk {
    Rescued rescue(List<UUID> letters);
  }

  /** Uses several short transactions, so that no lane waits for long. */
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
