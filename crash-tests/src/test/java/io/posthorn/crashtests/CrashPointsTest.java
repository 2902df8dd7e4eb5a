package io.posthorn.crashtests;

import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every named moment of these calls: the relay that holds the lane is frozen there for longer than
 * its lease, and then the one that took over is killed there; messages flow all the time, and
 * others stand by.
 */
@Tag("slow")
@TestInstance(Lifecycle.PER_CLASS)
abstract class CrashPointsTest {
  private final World world = World.in(EmbeddedPostgres.shared(), getClass().getName().hashCode());
  private int started;

  abstract Set<Call> calls();

  Stream<CrashPoint> points() {
    return Stream.of(CrashPoint.values()).filter(point -> calls().contains(point.call()));
  }

  @BeforeAll
  void start() {
    startAnother();
    startAnother();
    startAnother();
    world.awaitShared(2);
    world.traffic().everything();
  }

  private void startAnother() {
    world.start("relay-" + ++started);
  }

  @ParameterizedTest
  @MethodSource("points")
  void nothing_is_lost_or_reordered_by_a_relay_that_freezes_or_dies_at(CrashPoint point) {
    for (Action action : List.of(Action.FREEZE, Action.KILL)) {
      world.awaitShared(2);
      crash(point, victim(point), action);
    }
    world.awaitArrival();
  }

  private RelayProcess victim(CrashPoint point) {
    return world.holder(point.call() == Call.TEND ? "unrouted" : World.ORDERS);
  }

  private void crash(CrashPoint point, RelayProcess victim, Action action) {
    victim.awaitReached(victim.arm(point, action, 2));
    Takeover takeover = Takeover.from(world, victim);
    if (action == Action.KILL) {
      victim.awaitExit();
      startAnother();
    }
    try {
      if (point.call() == Call.TEND) {
        awaitOtherThan(victim);
      } else {
        takeover.await();
      }
    } finally {
      if (action == Action.FREEZE) {
        victim.thaw();
      }
    }
  }

  private void awaitOtherThan(RelayProcess victim) {
    world.eventually(
        "another to tend the unrouted",
        () -> world.query().holder("unrouted").equals(victim.name()) ? null : true);
  }

  @AfterAll
  void finish() {
    try (world) {
      world.finish();
    }
  }
}
