package io.posthorn.core.connector;

/**
 * The SQLSTATEs of one database, besides those of the SQL standard, for which a {@link Classifier}
 * does not blame the message. The error may come from any database that a handler or a client uses.
 *
 * <p>Each store has such a class, public and with a public constructor without parameters, and does
 * two things with it, as with its {@link io.posthorn.core.error.SanitiserRules}. It names the class
 * in {@code META-INF/services/io.posthorn.core.connector.SqlStates}, so that the class is known
 * before a store exists. And it passes an instance to {@link Classifier#add} when the class of the
 * store is initialised, so that it is also known where that file was lost.
 */
public interface SqlStates {
  /** Whether a statement was cancelled, usually because it took too long. */
  boolean isTimeout(String state);

  /** Whether the server lacked resources, or was stopped or started. */
  boolean isAway(String state);
}
