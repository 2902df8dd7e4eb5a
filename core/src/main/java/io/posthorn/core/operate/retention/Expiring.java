package io.posthorn.core.operate.retention;

import java.time.Instant;

/**
 * Dead letters of a destination that will be removed soon.
 *
 * @param letters the number of letters
 * @param first when the first of them is removed
 */
public record Expiring(String destination, long letters, Instant first) {}
