package io.posthorn.core.operate.retention;

import java.time.Instant;

/**
 * Dead letters of a destination whose time is nearly over.
 *
 * @param letters how many
 * @param first when the first of them goes
 */
public record Expiring(String destination, long letters, Instant first) {}
