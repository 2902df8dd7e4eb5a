package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Key;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.LaneLostException;
import io.posthorn.core.store.Move;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Waiting;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testkit.Oracle;
import io.posthorn.testkit.TestLane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * Claims and settles as a relay on a bad day: with pages of any size, reading ahead, settling
 * partly or ahead of a gap, dropping and claiming again, failing and parking, and taken over while
 * the former owner still tries to settle. It keeps the order of keys, as a relay does.
 */
final class RandomReader implements LogCursor {
  static final String DESTINATION = "reader";
  private static final Reason REASON = Reason.of(Reason.UNKNOWN, "by chance");

  private final PostgresqlDatabase database;
  private final Oracle oracle;
  private final Random random;
  private TestLane lane;

  RandomReader(PostgresqlDatabase database, Oracle oracle, long seed) {
    this.database = database;
    this.oracle = oracle;
    this.random = new Random(seed);
    database
        .store()
        .register(
            "property",
            List.of(new ServedDestination(DESTINATION, Set.of(ServedDestination.ALL_TYPES))));
    this.lane = take();
  }

  private TestLane take() {
    PostgresqlStore store = PostgresqlStore.on(database.dataSource(), database.tables());
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "reader", "property");
    store.join(relay, List.of(), Duration.ofHours(1));
    return new TestLane(store, store.take(relay, DESTINATION, 0).orElseThrow());
  }

  @Override
  public boolean step() {
    if (random.nextInt(30) == 0) {
      takeOver();
    }
    boolean log = stepOnLog();
    boolean parked = stepOnParked();
    return log || parked;
  }

  private void takeOver() {
    TestLane former = lane;
    Batch batch = former.claim(limits()).batch();
    database.execute("UPDATE posthorn_relay SET expires_at = '-infinity'");
    lane = take();
    if (batch != null) {
      assertThatThrownBy(() -> former.settle(batch)).isInstanceOf(LaneLostException.class);
    }
  }

  private ClaimLimits limits() {
    return new ClaimLimits(1 + random.nextInt(60), 1 + random.nextInt(60_000));
  }

  private boolean stepOnLog() {
    Batch batch = lane.claim(limits()).batch();
    if (batch == null) {
      return false;
    }
    while (batch != null) {
      batch = random.nextInt(10) == 0 ? null : settle(readAhead(batch));
    }
    return true;
  }

  private List<Batch> readAhead(Batch first) {
    List<Batch> batches = new ArrayList<>(List.of(first));
    while (random.nextInt(3) == 0) {
      lane.readAhead(batches.get(batches.size() - 1), limits()).ifPresent(batches::add);
    }
    return batches;
  }

  /** Sends what it can and settles it. Returns the next batch if it asked for one. */
  private Batch settle(List<Batch> batches) {
    List<Move> moves = new ArrayList<>();
    Set<Key> parked = new HashSet<>();
    Set<Key> stopped = new HashSet<>();
    long last = batches.get(0).start();
    List<Long> ahead = new ArrayList<>();
    boolean gap = false;
    boolean stopping = random.nextInt(3) == 0;
    for (Batch batch : batches) {
      for (Delivery delivery : batch.deliveries()) {
        Key key = delivery.message().key();
        if (stopped.contains(key) || (stopping && random.nextInt(8) == 0)) {
          stopped.add(key);
          gap = true;
          continue;
        }
        if (batch.blocked().contains(key) || parked.contains(key)) {
          moves.add(new Move.Park(delivery, Waiting.TURN, 0, Duration.ZERO, null));
        } else if (random.nextInt(25) == 0) {
          moves.add(new Move.Park(delivery, Waiting.RETRY, 1, Duration.ofMillis(1), REASON));
          parked.add(key);
        } else {
          oracle.observe(delivery.message());
        }
        if (gap) {
          ahead.add(delivery.seq());
        } else {
          last = delivery.seq();
        }
      }
    }
    Settlement settlement =
        gap
            ? lane.partly(batches, last, ahead, moves(moves))
            : lane.settlement(batches, moves(moves));
    if (!gap && random.nextBoolean()) {
      return lane.settle(TestLane.thenClaim(settlement, limits())).batch();
    }
    lane.settle(settlement);
    if (random.nextInt(5) == 0) {
      lane.settle(settlement);
    }
    return null;
  }

  private static Move[] moves(List<Move> moves) {
    return moves.toArray(Move[]::new);
  }

  private boolean stepOnParked() {
    List<Delivery> deliveries = lane.parked(limits());
    List<Move> moves = new ArrayList<>();
    Set<Key> stopped = new HashSet<>();
    for (Delivery delivery : deliveries) {
      Key key = delivery.message().key();
      if (stopped.contains(key)) {
        continue;
      }
      if (random.nextInt(10) == 0) {
        stopped.add(key);
        moves.add(
            new Move.Park(
                delivery, Waiting.RETRY, delivery.attempts() + 1, Duration.ofMillis(1), REASON));
      } else {
        oracle.observe(delivery.message());
        moves.add(
            random.nextInt(20) == 0
                ? new Move.Die(
                    delivery, delivery.attempts() + 1, "DEAD", REASON, AfterDead.CONTINUE)
                : new Move.Sent(delivery));
      }
    }
    if (!moves.isEmpty() && random.nextInt(10) != 0) {
      lane.settle(moves(moves));
    }
    return !database.parked(DESTINATION).isEmpty();
  }
}
