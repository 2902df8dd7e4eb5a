package io.posthorn.core.store;

import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What an idle relay looks for.
 *
 * @param due destinations with parked messages whose time has come; the unrouted too, if a new
 *     route waits for them
 * @param free destinations with a lane that nobody holds
 * @param relays how many relays are alive
 * @param operations an operation runs
 * @param steered the id of what people last said about each destination
 */
public record Signals(
    Head head,
    Set<String> due,
    Set<String> free,
    int relays,
    boolean operations,
    Map<String, UUID> steered) {}
