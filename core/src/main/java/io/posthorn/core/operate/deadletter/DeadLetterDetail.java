package io.posthorn.core.operate.deadletter;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.MessageStory.Attempt;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter with all its details.
 *
 * @param message the message with payload and headers. The payload is encrypted if {@code
 *     cipherKey} is set
 * @param cipherKey the id of the key that the payload is encrypted with
 * @param stack the stack trace of the last failure
 * @param history every attempt, oldest first
 * @param previous the previous dead letter of this message, if it was requeued and died again
 * @param corrected the message as it was requeued, if a person corrected its payload. It is
 *     encrypted like {@code message}
 * @param youngerOut how many of the next 1,000 messages of its key were already sent to the
 *     destination; a requeued message arrives after them
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
