package io.posthorn.core.store;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What came of the unsettled batches of a lane so far.
 *
 * @param expected the newest progress this relay knows; if the database has another, nothing is
 *     written
 * @param next the id of the progress to be written, also if only parked messages are settled;
 *     finding it stored already means that an earlier try of this very settlement succeeded
 * @param batches the unsettled batches of the log, in claim order; empty if only parked ones are
 *     settled
 * @param last the end of the settled prefix
 * @param ahead seqs above {@code last} that are settled too, ascending
 * @param whole all batches are settled to their end
 * @param moves what is to be written besides the progress
 * @param claimNext limits for the next claim, to be made in the same transaction; none = do not
 *     claim
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

  /** The same settlement, so that it is recognised if it was committed, without the claim. */
  public Settlement withoutClaim() {
    return new Settlement(lane, expected, next, batches, last, ahead, whole, moves, null);
  }
}
