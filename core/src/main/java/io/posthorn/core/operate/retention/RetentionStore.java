package io.posthorn.core.operate.retention;

import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import java.time.Duration;

/** The side of a store that removes what is finished. Nothing here makes a writer wait. */
public interface RetentionStore {
  /**
   * Removes what is finished and old enough: messages that every destination has passed, dead
   * letters, and what belongs to them. With an archive, nothing goes before the archive has it. May
   * take long, in short steps; may run in several programs at once, and be killed at any moment.
   */
  PurgeReport purge(RetentionTimes times, Archive archive, PurgeProgress purging);

  /** The same without an archive, and for as long as it takes. */
  default PurgeReport purge(Duration sent) {
    return purge(
        new RetentionTimes(sent, RetentionTimes.DEFAULT.dead()), Archive.NONE, step -> true);
  }

  /** Throws if messages cannot be kept for that long. A relay asks before it starts. */
  void checkRetention(RetentionTimes times);

  RetentionStatus retentionStatus(RetentionTimes times);

  /**
   * Moves everything that a destination has not passed out of the log, in order, to where it waits
   * by itself: the log needs to keep nothing for it any more. In short steps; a relay that serves
   * the destination meanwhile goes on. Audited.
   *
   * @return how many messages were moved
   */
  long spill(String destination, Actor by);
}
