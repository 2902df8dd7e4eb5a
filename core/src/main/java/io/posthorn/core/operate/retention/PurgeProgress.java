package io.posthorn.core.operate.retention;

/** Follows a purge, and can end it. */
@FunctionalInterface
public interface PurgeProgress {
  /**
   * Called before each step. Steps are short.
   *
   * @param step the next step, worded for an operator
   * @return false to end the purge here; the next purge continues from here
   */
  boolean goOn(String step);
}
