package io.posthorn.core.operate.retention;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import java.time.Duration;

/** The side of a store that removes finished messages. It never makes a writer wait. */
public interface RetentionStore {
  /**
   * Removes what is finished and older than its retention: messages that every destination has
   * passed, dead letters, and what belongs to them. With an archive, nothing is removed before the
   * archive has it.
   *
   * <p>A purge may take long, in short steps. It may run in several programs at once, and may be
   * killed at any moment.
   */
  PurgeReport purge(RetentionTimes times, Archive archive, PurgeProgress progress);

  /** Purges without an archive, until everything is done. */
  default PurgeReport purge(Duration sent) {
    return purge(
        new RetentionTimes(sent, RetentionTimes.DEFAULT.dead()), Archive.NONE, step -> true);
  }

  /**
   * Checks that the database can keep messages for these times. A relay calls it before it starts.
   *
   * @throws io.posthorn.core.error.PosthornException if it cannot
   */
  void checkRetention(RetentionTimes times);

  /** Returns what is still kept, and why. */
  RetentionStatus retentionStatus(RetentionTimes times);

  /**
   * Parks everything in the log that a destination has not passed, in order. The log then needs to
   * keep nothing for this destination. The work is audited, and done in short steps while the
   * destination's relay continues.
   *
   * @return the number of messages moved
   */
  long spill(String destination, Actor by);
}
