package io.posthorn.core.store;

import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What an idle relay looks for.
 *
 * @param head how far the log reaches
 * @param due the destinations with parked messages that are due; includes {@link
 *     RelayStore#UNROUTED} if a new route may cover waiting messages
 * @param free the destinations with a lane that no relay holds
 * @param relays the number of live relays
 * @param operations whether an operation runs
 * @param steered for each destination, the id of its {@link SteeringState}
 */
public record Signals(
    Head head,
    Set<String> due,
    Set<String> free,
    int relays,
    boolean operations,
    Map<String, UUID> steered) {}
