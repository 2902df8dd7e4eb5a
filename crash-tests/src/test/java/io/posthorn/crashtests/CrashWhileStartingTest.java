package io.posthorn.crashtests;

import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every named moment from the start of a relay until it has taken its lanes, with messages flowing
 * that wait for it: the next relay that starts delivers them.
 */
@Tag("slow")
class CrashWhileStartingTest {
  static Stream<CrashPoint> points() {
    return Stream.of(CrashPoint.values()).filter(point -> point.when() == CrashPoint.When.START);
  }

  @ParameterizedTest
  @MethodSource("points")
  void the_next_relay_goes_on_when_one_freezes_or_dies_at(CrashPoint point) {
    try (World world = World.in(EmbeddedPostgres.shared(), point.name().hashCode())) {
      if (point.call() != Call.REGISTER) {
        RelayProcess before = world.start("before");
        world.awaitShared(1);
        before.kill();
      }
      world.traffic().everything();
      RelayProcess frozen = crash(world, point, Action.FREEZE);
      Takeover takeover = Takeover.from(world, frozen);
      RelayProcess after = world.start("after");
      takeover.await();
      frozen.thaw();
      after.kill();
      frozen.kill();
      RelayProcess killed = crash(world, point, Action.KILL);
      killed.awaitExit();
      takeover = Takeover.from(world, killed);
      world.start("last");
      takeover.await();
      world.finish();
    }
  }

  private static RelayProcess crash(World world, CrashPoint point, Action action) {
    // With a destination of its own, so that there is something to register each time.
    RelaySetup setup =
        world
            .setup("victim-" + action)
            .receivers(World.receiver(World.ORDERS, 3), receiverOfNothing("only-" + action));
    RelayProcess relay = world.keep(RelayProcess.startArmed(setup, point, action));
    relay.awaitReached("start");
    return relay;
  }

  private static RelaySetup.Receiver receiverOfNothing(String destination) {
    Set<String> types = Set.of("Never");
    return new RelaySetup.Receiver(destination, types, types, 1, true);
  }
}
