package io.posthorn.core.store;

/** How far the log reached at some moment. Only a hint of when to look; a claim is the truth. */
public interface Head {
  /** Whether something may have been committed since the earlier moment. */
  boolean newsSince(Head earlier);
}
