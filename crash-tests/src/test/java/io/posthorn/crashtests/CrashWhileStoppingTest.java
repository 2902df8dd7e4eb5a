package io.posthorn.crashtests;

import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A crash at every named moment of a graceful stop. */
@Tag("slow")
class CrashWhileStoppingTest {
  static Stream<CrashPoint> points() {
    return Stream.of(CrashPoint.values()).filter(point -> point.when() == CrashPoint.When.STOPPING);
  }

  @ParameterizedTest
  @MethodSource("points")
  void another_relay_goes_on_when_one_that_is_stopping_freezes_or_dies_at(CrashPoint point) {
    try (World world = World.in(EmbeddedPostgres.shared(), point.name().hashCode())) {
      world.start("a");
      world.start("b");
      world.start("c");
      world.awaitShared(2);
      world.traffic().everything();
      world.awaitDelivery(World.ORDERS);
      RelayProcess frozen = crash(world, point, Action.FREEZE);
      crash(world, point, Action.KILL);
      frozen.thaw();
      frozen.awaitExit();
      world.finish();
    }
  }

  private static RelayProcess crash(World world, CrashPoint point, Action action) {
    RelayProcess victim = world.holder(World.ORDERS);
    String order = victim.arm(point, action, 1);
    victim.terminate();
    victim.awaitReached(order);
    Takeover.from(world, victim).await();
    return victim;
  }
}
