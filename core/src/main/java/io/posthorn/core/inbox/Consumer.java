package io.posthorn.core.inbox;

/**
 * Who receives. Its name is that of a destination whose direction is IN: what it could not handle
 * is parked there, and becomes a dead letter there.
 *
 * @param latestWins a message older than what was handled of its key is not handed over but noted
 */
public record Consumer(String name, boolean latestWins) {}
