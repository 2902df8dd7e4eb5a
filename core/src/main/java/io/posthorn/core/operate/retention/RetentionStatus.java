package io.posthorn.core.operate.retention;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the database still keeps, and why.
 *
 * @param leaves the leaves of the log that hold messages, oldest first
 * @param unread how far each destination is behind
 * @param expiring dead letters that will be removed within {@link RetentionTimes#ANNOUNCED}
 */
public record RetentionStatus(List<Leaf> leaves, List<Unread> unread, List<Expiring> expiring) {

  /**
   * One leaf of the log: the messages of one day.
   *
   * @param rows the approximate number of messages
   * @param waitsFor what keeps it from being emptied, worded for an operator; empty if the next
   *     purge empties it
   */
  public record Leaf(
      String name,
      @Nullable Instant oldest,
      @Nullable Instant newest,
      long bytes,
      long rows,
      List<String> waitsFor) {}

  /**
   * How far a destination is behind.
   *
   * @param bytes the approximate size of the part of the log that it has not passed
   * @param since when it last made progress
   */
  public record Unread(String destination, long bytes, Instant since) {}
}
