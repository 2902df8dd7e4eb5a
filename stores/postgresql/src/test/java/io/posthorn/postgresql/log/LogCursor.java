package io.posthorn.postgresql.log;

/** A way to read the log while others write to it. */
@FunctionalInterface
interface LogCursor {
  /** Reads on and tells the oracle what it saw; false if there was nothing. */
  boolean step();
}
