package io.posthorn.core.operate.retention;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What stays, how long still, and for whom.
 *
 * @param leaves those that hold something, the oldest first
 * @param unread what each destination has not passed yet
 * @param expiring dead letters that will be removed within {@link RetentionTimes#ANNOUNCED}
 */
public record RetentionStatus(List<Leaf> leaves, List<Unread> unread, List<Expiring> expiring) {

  /**
   * One day's part of the log.
   *
   * @param rows about how many messages
   * @param waitsFor why it is not emptied, in words for an operator; empty = the next purge does
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
   * @param bytes about how much of the log it has not passed
   * @param since when it last moved on
   */
  public record Unread(String destination, long bytes, Instant since) {}
}
