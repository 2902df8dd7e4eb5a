package io.posthorn.core.operate.figures;

import io.posthorn.core.operate.retention.RetentionTimes;

/** The side of a store that returns the figures of the whole database. */
public interface FiguresStore {
  /**
   * Returns the figures. It may be called every few seconds on a database of any size: each figure
   * looks at no more than 10,000 messages or letters, and a larger number is marked as an estimate.
   *
   * @param times the configured retention, which decides what is late and what is removed soon
   */
  Figures figures(RetentionTimes times);
}
