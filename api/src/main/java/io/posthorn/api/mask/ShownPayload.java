package io.posthorn.api.mask;

import org.jspecify.annotations.Nullable;

/**
 * What a caller sees of a payload.
 *
 * @param masked whether something is hidden
 * @param bytes the size of the whole payload
 * @param text the payload if it is text, with masked values replaced; null if it is hidden or
 *     binary
 * @param base64 the payload if it is binary; null if it is hidden or text
 * @param note why something is hidden, and how to see it; null if nothing is
 */
public record ShownPayload(
    boolean masked,
    int bytes,
    String contentType,
    @Nullable String text,
    @Nullable String base64,
    @Nullable String note) {}
