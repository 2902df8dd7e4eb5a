package io.posthorn.core.operate.deadletter;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of one cause: all letters with the same fingerprint.
 *
 * @param letters the number of letters
 * @param error the error of the newest letter
 * @param perDay the number of letters created per day (UTC), without days that have none
 * @param note what a person has written about the cause
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
