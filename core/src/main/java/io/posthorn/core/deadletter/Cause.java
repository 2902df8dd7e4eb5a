package io.posthorn.core.deadletter;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.SortedMap;

/**
 * Letters of one cause, as far as its fingerprint tells.
 *
 * @param error of the newest of them
 * @param perDay how many were created on which day (UTC), for the days that have any
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
    SortedMap<LocalDate, Long> perDay) {}
