package io.posthorn.core.operate.figures;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.Map;

/**
 * One destination in figures.
 *
 * @param pending the messages it is still to get: PENDING and FAILED, parked messages included
 * @param oldestAge the age of the oldest of them, since it was stored or since it was due; zero if
 *     there is none
 * @param oldestAtMost whether the age is only an upper bound. It is, if none of the first 10,000
 *     messages of the log that the destination has not passed is for it
 * @param parked the pending messages that wait outside the log, by what they wait for
 * @param parkedKeys the number of keys of these messages
 * @param heldKeys the number of keys that wait for a person, behind a dead letter
 * @param dead the number of dead letters that wait for a person
 * @param served whether a live relay serves it
 * @param paused whether a person has paused it
 * @param answers whether it works: no relay reports an open breaker
 */
public record DestinationFigures(
    String name,
    Count pending,
    Duration oldestAge,
    boolean oldestAtMost,
    Map<Waiting, Count> parked,
    Count parkedKeys,
    Count heldKeys,
    Count dead,
    boolean served,
    boolean paused,
    boolean answers) {}
