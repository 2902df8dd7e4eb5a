package io.posthorn.core.operate.retention;

/** Whoever wants a purge to be done. */
@FunctionalInterface
public interface PurgeProgress {
  /**
   * Told before each step, of which none takes long.
   *
   * @param step what comes next, in words for an operator
   * @return false to end it here; the next purge goes on from there
   */
  boolean goOn(String step);
}
