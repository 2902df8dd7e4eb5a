package io.posthorn.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The results so far of a lane's unsettled batches.
 *
 * @param expected the id of the newest progress that this relay knows. If the database has another,
 *     nothing is written
 * @param next the id of the progress to write, even if only parked messages are settled. If the
 *     database already has it, an earlier try of this settlement has succeeded
 * @param batches the unsettled batches of the log, in the order of their claims; empty if only
 *     parked messages are settled
 * @param last the seq up to which everything is settled
 * @param ahead the seqs above {@code last} that are settled too, ascending
 * @param whole whether all batches are settled to their end
 * @param moves the changes to write besides the progress
 * @param claimNext the limits of a claim in the same transaction; null for no claim
 */
public record Settlement(
    Lane lane,
    UUID expected,
    UUID next,
    List<Batch> batches,
    long last,
    List<Long> ahead,
    boolean whole,
    List<Move> moves,
    @Nullable ClaimLimits claimNext) {

  /**
   * Returns this settlement without the claim. Its ids stay the same, so it is recognised if an
   * earlier try was committed.
   */
  public Settlement withoutClaim() {
    return new Settlement(lane, expected, next, batches, last, ahead, whole, moves, null);
  }
}
