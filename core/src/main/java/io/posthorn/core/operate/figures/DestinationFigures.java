package io.posthorn.core.operate.figures;

import io.posthorn.core.operate.figures.Figures.Count;
import io.posthorn.core.store.Waiting;
import java.time.Duration;
import java.util.Map;

/**
 * A destination in figures.
 *
 * @param pending all that it has not got and shall get: PENDING and FAILED, parked ones too
 * @param oldestAge of the oldest of these, since it was stored, or was to be delivered at the
 *     earliest; zero if there is none
 * @param oldestAtMost among the first 10,000 messages of the log that it has not passed, none is
 *     for it: if there is one behind them, it is younger than that
 * @param parked of the pending ones, those that wait outside the log, by what they wait for
 * @param parkedKeys how many keys these have
 * @param heldKeys how many keys wait for a person, behind a dead letter
 * @param dead how many dead letters wait for a person
 * @param served a live relay holds it
 * @param paused a person stopped it
 * @param answers no relay says that it does not answer
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
