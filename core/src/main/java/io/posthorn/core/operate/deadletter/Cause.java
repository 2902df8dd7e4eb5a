package io.posthorn.core.operate.deadletter;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Letters of one cause, as far as its fingerprint tells.
 *
 * @param error of the newest of them
 * @param perDay how many were created on which day (UTC), for the days that have any
 * @param note what somebody wrote down about it
 */
public record Cause(
    String fingerprint,
    long letters,
    String reason,
    String error,
    Instant firstSeen,
    Instant lastSeen,
    List<String> types,
    List<String> destinations,
    SortedMap<LocalDate, Long> perDay,
    @Nullable CauseNote note) {}
