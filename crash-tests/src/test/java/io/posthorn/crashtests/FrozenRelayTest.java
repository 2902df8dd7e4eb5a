package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;

/** A relay that was frozen, at whatever moment, must not go on as if it still held its lanes. */
@Tag("slow")
class FrozenRelayTest {
  private static final Set<String> SETTLED = Set.of("Sent", "Parked", "Dead");

  @RepeatedTest(3)
  void a_relay_frozen_for_two_leases_sends_at_most_one_batch_more_and_settles_nothing() {
    try (World world = World.in(EmbeddedPostgres.shared(), 7)) {
      world.start("a");
      world.start("b");
      world.awaitShared(2);
      world.traffic().everything();
      world.awaitDelivery(World.ORDERS);

      RelayProcess victim = world.holder(World.ORDERS);
      // About to settle: what it has settled a moment before, it may tell of a moment after.
      victim.awaitReached(victim.arm(CrashPoint.SETTLE_BEFORE_LOCK, Action.FREEZE, 2));
      long frozenAt = System.nanoTime();
      Takeover.from(world, victim).await();
      waitUntil(frozenAt + world.setup("any").lease().multipliedBy(2).toNanos());
      long thawedAt = System.nanoTime();
      victim.thaw();
      world.eventually("the victim to notice", () -> lost(world, victim, thawedAt));
      world.finish();

      List<Journal.Line> late = untilTakenAgain(world, victim, thawedAt);
      BrokenPromise.unless(
          () -> {
            assertThat(late.stream().filter(Journal.Line::delivery).count())
                .as(() -> world.story("sends with a stale hold"))
                .isLessThanOrEqualTo(world.setup("any").batchSize());
            assertThat(late).noneMatch(line -> SETTLED.contains(line.event()));
            assertThat(world.duplicates(World.ORDERS))
                .isLessThanOrEqualTo(world.losses(World.ORDERS) * world.setup("any").batchSize());
          });
    }
  }

  private static void waitUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, Duration.ofMillis(100).toNanos()));
    }
  }

  private static Journal.Line lost(World world, RelayProcess victim, long after) {
    return by(world, victim, after).stream()
        .filter(line -> line.event().equals("LaneLost"))
        .findFirst()
        .orElse(null);
  }

  private static List<Journal.Line> untilTakenAgain(World world, RelayProcess victim, long after) {
    return by(world, victim, after).stream()
        .takeWhile(line -> !line.event().equals("LaneTaken"))
        .toList();
  }

  private static List<Journal.Line> by(World world, RelayProcess relay, long after) {
    return world.journal().lines().stream()
        .filter(line -> line.pid() == relay.pid() && line.nanos() > after)
        .toList();
  }
}
