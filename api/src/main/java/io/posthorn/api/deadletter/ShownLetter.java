package io.posthorn.api.deadletter;

import io.posthorn.api.mask.PayloadView;
import io.posthorn.api.mask.ShownMessage;
import io.posthorn.core.message.Message;
import io.posthorn.core.operate.deadletter.CauseNote;
import io.posthorn.core.operate.deadletter.DeadLetter;
import io.posthorn.core.operate.deadletter.DeadLetterDetail;
import io.posthorn.core.store.MessageStory.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with all its details, as the caller sees them.
 *
 * @param message the message as it died
 * @param corrected the message as it was requeued, if a person corrected its payload
 * @param recordedAt when the message was stored
 * @param stack the stack trace of the last failure
 * @param history every attempt, oldest first
 * @param previous the previous dead letter of this message, if it was requeued and died again
 * @param youngerOut how many of the next messages of its key were already sent
 * @param note what people have written about the cause
 */
public record ShownLetter(
    DeadLetter letter,
    ShownMessage message,
    @Nullable ShownMessage corrected,
    Instant recordedAt,
    @Nullable String stack,
    List<Attempt> history,
    @Nullable UUID previous,
    long youngerOut,
    @Nullable CauseNote note) {

  static ShownLetter of(DeadLetterDetail one, @Nullable CauseNote note, PayloadView view) {
    Message message = one.message();
    String key = one.cipherKey();
    Message corrected = one.corrected();
    return new ShownLetter(
        letter(one.letter(), String.valueOf(view.error(one.letter().error(), message, key))),
        view.message(message, key),
        corrected == null ? null : view.message(corrected, key),
        one.recordedAt(),
        view.stack(one.stack(), message, key),
        view.attempts(one.history(), message, key),
        one.previous(),
        one.youngerOut(),
        note);
  }

  /** The letter in a list. */
  static DeadLetter inList(DeadLetter one, PayloadView view) {
    return letter(one, String.valueOf(view.error(one.error(), one.type())));
  }

  private static DeadLetter letter(DeadLetter one, String error) {
    return new DeadLetter(
        one.id(),
        one.destination(),
        one.messageId(),
        one.type(),
        one.key(),
        one.state(),
        one.reason(),
        one.lastReason(),
        error,
        one.attempts(),
        one.createdAt(),
        one.firstFailedAt(),
        one.lastFailedAt(),
        one.fingerprint(),
        one.payloadBytes(),
        one.requeuedAt(),
        one.requeuedAs(),
        one.outcome(),
        one.outcomeAt());
  }
}
