package io.posthorn.core.operate.deadletter;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.MessageStory.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * All that is known of a dead letter.
 *
 * @param message with payload and headers, the payload as it is stored: encrypted, if {@code
 *     cipherKey} is set
 * @param stack the stack trace of the last failure
 * @param history every attempt, oldest first
 * @param previous the letter that it left the time before, if it was requeued and died again
 * @param corrected the message as it was requeued, if a person corrected its payload: stored and
 *     encrypted as {@code message} is
 * @param youngerOut how many of the next 1,000 messages of its key the destination already has: a
 *     requeue comes after them
 */
public record DeadLetterDetail(
    DeadLetter letter,
    Message message,
    @Nullable String cipherKey,
    Instant recordedAt,
    @Nullable String stack,
    List<Attempt> history,
    @Nullable UUID previous,
    @Nullable Message corrected,
    long youngerOut) {}
