package io.posthorn.core.operate.figures;

import io.posthorn.core.operate.retention.RetentionTimes;

/** The side of a store that tells the figures of the whole database. */
public interface FiguresStore {
  /**
   * Asked every few seconds, of a database of any size: no more than 10,000 messages or letters are
   * looked at for each figure. What is more than that is estimated, and says so.
   *
   * @param times how long things stay; what is late, or about to go, is told by that
   */
  Figures figures(RetentionTimes times);
}
