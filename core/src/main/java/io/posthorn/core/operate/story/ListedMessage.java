package io.posthorn.core.operate.story;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.MessageState;
import java.time.Instant;
import java.util.SortedMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A message in a list, without its payload.
 *
 * @param recordedAt when the message was stored, by the database's clock
 * @param states its state with each destination that wants it, or has dealt with it
 */
public record ListedMessage(
    UUID id,
    long seq,
    String type,
    @Nullable Key key,
    @Nullable String correlationId,
    Instant recordedAt,
    int payloadBytes,
    SortedMap<String, MessageState> states) {}
