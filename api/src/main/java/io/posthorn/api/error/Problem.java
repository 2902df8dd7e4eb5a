package io.posthorn.api.error;

import org.jspecify.annotations.Nullable;

/**
 * Why a request was not done (RFC 9457).
 *
 * @param type always {@code about:blank}
 * @param title the name of the status
 * @param status the status, as in the answer itself
 * @param detail what was not done, to which thing, why, and what to do
 * @param code the stable code, for example {@code POSTHORN-034}; null for errors of HTTP itself
 */
public record Problem(
    String type, String title, int status, String detail, @Nullable String code) {}
