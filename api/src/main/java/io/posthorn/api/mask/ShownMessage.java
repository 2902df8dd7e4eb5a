package io.posthorn.api.mask;

import io.posthorn.core.message.Key;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a caller sees of a message.
 *
 * @param headers with hidden values for callers who may not read payloads
 */
public record ShownMessage(
    UUID id,
    String type,
    int schemaVersion,
    @Nullable Key key,
    Instant occurredAt,
    @Nullable Instant notBefore,
    Map<String, String> headers,
    ShownPayload payload) {}
