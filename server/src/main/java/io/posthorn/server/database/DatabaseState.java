package io.posthorn.server.database;

import org.jspecify.annotations.Nullable;

/**
 * What a database's relay is doing.
 *
 * @param name of the database in the file
 * @param why why it does not deliver; null if it does
 */
public record DatabaseState(String name, Phase phase, @Nullable String why) {
  /** What the relay does. */
  public enum Phase {
    /** It has not been tried yet. */
    STARTING,
    /** The relay could not start; it is tried again. */
    NOT_STARTED,
    /** The relay runs, and the database answers. */
    RUNNING,
    /** The relay runs and waits for the database, which does not answer. */
    UNREACHABLE,
    /** The relay has given its lanes back. */
    STOPPED
  }

  /** One line for people. */
  public String line() {
    String what = phase.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    return "%s: %s%s".formatted(name, what, why == null ? "" : ": " + why);
  }
}
