package io.posthorn.core.store;

/** How far the log reached at one moment. It only hints when to look; a claim finds the truth. */
public interface Head {
  /** Whether messages may have been committed since the earlier head. */
  boolean newsSince(Head earlier);
}
