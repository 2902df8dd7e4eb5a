package io.posthorn.crashtests;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.operate.archive.Archive;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.retention.PurgeProgress;
import io.posthorn.core.operate.retention.PurgeReport;
import io.posthorn.core.operate.retention.RetentionStatus;
import io.posthorn.core.operate.retention.RetentionTimes;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Claim;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.ClusterState;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Head;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.RelayStore;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.core.store.Settlement;
import io.posthorn.core.store.Signals;
import io.posthorn.core.store.SteeringState;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/** Notes for each thread what it is doing, so that a {@link CrashPlan} can tell. */
record PlannedStore(RelayStore store) implements RelayStore {
  /** Slower calls are printed, because they may explain a late takeover. */
  private static final Duration SLOW = Duration.ofMillis(500);

  private static <T> T doing(Call call, Supplier<T> work) {
    call.begin();
    long began = System.nanoTime();
    try {
      return work.get();
    } finally {
      Call.end();
      Duration took = Duration.ofNanos(System.nanoTime() - began);
      if (took.compareTo(SLOW) > 0) {
        System.err.println(
            "until " + LocalTime.now(ZoneId.systemDefault()) + " " + call + " took " + took);
      }
    }
  }

  private static void run(Call call, Runnable work) {
    doing(
        call,
        () -> {
          work.run();
          return true;
        });
  }

  @Override
  public void verify(String environment) {
    run(Call.VERIFY, () -> store.verify(environment));
  }

  @Override
  public void register(String application, List<ServedDestination> destinations) {
    run(Call.REGISTER, () -> store.register(application, destinations));
  }

  @Override
  public void join(RelayIdentity relay, List<ServedDestination> serves, Duration lease) {
    run(Call.JOIN, () -> store.join(relay, serves, lease));
  }

  @Override
  public Optional<ClusterState> beat(RelayIdentity relay, Duration lease) {
    return doing(Call.BEAT, () -> store.beat(relay, lease));
  }

  @Override
  public Optional<Lane> take(RelayIdentity relay, String destination, int lane) {
    return doing(Call.TAKE, () -> store.take(relay, destination, lane));
  }

  @Override
  public void release(Lane lane) {
    run(Call.RELEASE, () -> store.release(lane));
  }

  @Override
  public void leave(RelayIdentity relay) {
    run(Call.LEAVE, () -> store.leave(relay));
  }

  @Override
  public Head head() {
    return doing(Call.HEAD, store::head);
  }

  @Override
  public Signals look(Collection<String> destinations) {
    return doing(Call.LOOK, () -> store.look(destinations));
  }

  @Override
  public SteeringState steered(Lane lane) {
    return doing(Call.LOOK, () -> store.steered(lane));
  }

  @Override
  public Claim claim(Lane lane, ClaimLimits limits) {
    return doing(Call.CLAIM, () -> store.claim(lane, limits));
  }

  @Override
  public List<Batch> readAhead(Batch after, Set<UUID> known, ClaimLimits limits, int most) {
    return doing(Call.READ_AHEAD, () -> store.readAhead(after, known, limits, most));
  }

  @Override
  public List<Delivery> claimParked(Lane lane, ClaimLimits limits) {
    return doing(Call.CLAIM_PARKED, () -> store.claimParked(lane, limits));
  }

  @Override
  public int retryWaitingForCode(Lane lane) {
    return store.retryWaitingForCode(lane);
  }

  @Override
  public Claim settle(Settlement settlement) {
    return doing(Call.SETTLE, () -> store.settle(settlement));
  }

  @Override
  public void breaker(Lane lane, Optional<Reason> open) {
    run(Call.BREAKER, () -> store.breaker(lane, open));
  }

  @Override
  public void pause(Lane lane, Reason why) {
    store.pause(lane, why);
  }

  @Override
  public void checked(Lane lane, List<Finding> findings) {
    store.checked(lane, findings);
  }

  @Override
  public boolean tendUnrouted(Lane lane, Duration grace, BiConsumer<String, Integer> dead) {
    return doing(Call.TEND, () -> store.tendUnrouted(lane, grace, dead));
  }

  @Override
  public Optional<Duration> runOperations() {
    return doing(Call.OPERATIONS, store::runOperations);
  }

  @Override
  public void checkRetention(RetentionTimes times) {
    store.checkRetention(times);
  }

  @Override
  public PurgeReport purge(RetentionTimes times, Archive archive, PurgeProgress purging) {
    return doing(Call.PURGE, () -> store.purge(times, archive, purging));
  }

  @Override
  public RetentionStatus retentionStatus(RetentionTimes times) {
    return store.retentionStatus(times);
  }

  @Override
  public long spill(String destination, Actor by) {
    return store.spill(destination, by);
  }
}
