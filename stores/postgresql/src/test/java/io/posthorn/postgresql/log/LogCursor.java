package io.posthorn.postgresql.log;

/** Reads the log while others write to it. */
@FunctionalInterface
interface LogCursor {
  /** Reads on and reports to the oracle what it saw. Returns false if it saw nothing. */
  boolean step();
}
