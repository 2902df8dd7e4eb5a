package io.posthorn.testkit;

import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.LaneState;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.Settlement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A lane in the hands of a test: it claims and settles as a relay would, and remembers what a relay
 * remembers, which is the newest progress it knows.
 */
public final class TestLane {
  /** Enough for any test. */
  public static final ClaimLimits ALL = new ClaimLimits(10_000, 1L << 30);

  private final RelayStore store;
  private final Lane lane;
  private @Nullable UUID progress;

  public TestLane(RelayStore store, Lane lane) {
    this.store = store;
    this.lane = lane;
  }

  public static ClaimLimits atMost(int messages) {
    return new ClaimLimits(messages, 1L << 30);
  }

  public Lane lane() {
    return lane;
  }

  /** The newest progress this owner knows. */
  public UUID progress() {
    if (progress == null) {
      throw new IllegalStateException("nothing was claimed yet");
    }
    return progress;
  }

  public Claim claim(ClaimLimits limits) {
    Claim claim = store.claim(lane, limits);
    progress = claim.state().progress();
    return claim;
  }

  /** The next batch; fails if there is none. */
  public Batch batch(ClaimLimits limits) {
    return batch(claim(limits));
  }

  public static Batch batch(Claim claim) {
    Batch batch = claim.batch();
    if (batch == null) {
      throw new AssertionError("nothing was claimed");
    }
    return batch;
  }

  public Batch batch() {
    return batch(ALL);
  }

  public LaneState state() {
    return claim(ALL).state();
  }

  public Optional<Batch> readAhead(Batch after, ClaimLimits limits) {
    return store.readAhead(after, Set.of(progress()), limits, 1).stream().findFirst();
  }

  public List<Delivery> parked() {
    return store.claimParked(lane, ALL);
  }

  public List<Delivery> parked(ClaimLimits limits) {
    return store.claimParked(lane, limits);
  }

  /** Settles these batches as sent, except for the messages of these moves. */
  public Claim settle(List<Batch> batches, Move... moves) {
    return settle(settlement(batches, moves));
  }

  public Claim settle(Batch batch, Move... moves) {
    return settle(List.of(batch), moves);
  }

  /** Settles only parked messages. */
  public Claim settle(Move... moves) {
    return settle(List.of(), moves);
  }

  public Claim settle(Settlement settlement) {
    Claim claim = store.settle(settlement);
    progress = claim.state().progress();
    return claim;
  }

  public Settlement settlement(List<Batch> batches, Move... moves) {
    long last = batches.isEmpty() ? 0 : batches.get(batches.size() - 1).end();
    return new Settlement(
        lane,
        progress(),
        UUID.randomUUID(),
        batches,
        last,
        List.of(),
        true,
        Arrays.asList(moves),
        null);
  }

  /**
   * A settlement up to and including {@code last}, and of the sequence numbers in {@code ahead}.
   */
  public Settlement partly(List<Batch> batches, long last, List<Long> ahead, Move... moves) {
    return new Settlement(
        lane,
        progress(),
        UUID.randomUUID(),
        batches,
        last,
        ahead,
        false,
        Arrays.asList(moves),
        null);
  }

  public static Settlement thenClaim(Settlement settlement, ClaimLimits limits) {
    return new Settlement(
        settlement.lane(),
        settlement.expected(),
        settlement.next(),
        settlement.batches(),
        settlement.last(),
        settlement.ahead(),
        settlement.whole(),
        settlement.moves(),
        limits);
  }

  /** Claims and settles until nothing is left; returns the contents, in order. */
  public List<String> drain(ClaimLimits limits) {
    List<String> contents = new ArrayList<>();
    for (Batch batch = claim(limits).batch(); batch != null; batch = claim(limits).batch()) {
      contents.addAll(contents(batch.deliveries()));
      settle(batch);
    }
    return contents;
  }

  public List<String> drain() {
    return drain(ALL);
  }

  public static List<String> contents(List<Delivery> deliveries) {
    return deliveries.stream().map(TestMessages::content).toList();
  }
}
