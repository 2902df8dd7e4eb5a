package io.posthorn.core.inbox;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One inbox row: a consumer has seen a message.
 *
 * @param digest the SHA-256 of its payload, as hexadecimal digits
 * @param mended that of another payload which was handled instead, by a person's will
 */
public record Receipt(
    String consumer,
    String sender,
    UUID id,
    ReceiptState state,
    String digest,
    @Nullable String mended,
    Instant receivedAt,
    @Nullable Instant handledAt) {}
