package io.posthorn.core.inbox;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One row of the inbox: a consumer has seen a message.
 *
 * @param digest the SHA-256 of the payload, in hexadecimal
 * @param corrected the SHA-256 of the payload that was handled instead, if a person corrected it
 * @param handledAt when it was handled or skipped; null if it was not
 */
public record Receipt(
    String consumer,
    String sender,
    UUID id,
    ReceiptState state,
    String digest,
    @Nullable String corrected,
    Instant receivedAt,
    @Nullable Instant handledAt) {}
