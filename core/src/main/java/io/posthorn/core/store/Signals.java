package io.posthorn.core.store;

import java.util.Set;

/**
 * What an idle relay looks for.
 *
 * @param due destinations with parked messages whose time has come; the unrouted too, if a new
 *     route waits for them
 * @param free destinations with a lane that nobody holds
 * @param operations an operation runs
 */
public record Signals(Head head, Set<String> due, Set<String> free, boolean operations) {}
