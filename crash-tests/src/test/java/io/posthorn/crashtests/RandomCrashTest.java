package io.posthorn.crashtests;

import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Three relays, two destinations of which one is slow, hot and cold keys, failing, held, scheduled
 * and unwanted messages, and a minute in which relays are killed and frozen at random.
 */
@Tag("slow")
class RandomCrashTest {
  private static final String SLOW = "slow";
  private static final Duration LENGTH = Duration.ofSeconds(60);
  private static final List<CrashPoint> POINTS =
      List.of(CrashPoint.values()).stream()
          .filter(point -> point.when() == CrashPoint.When.RUNNING)
          .toList();

  private final long seed = Long.getLong("posthorn.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final List<RelayProcess> alive = new ArrayList<>();
  private int started;

  @Test
  void nothing_is_lost_or_reordered_whatever_is_killed_or_frozen() {
    try (World world = World.in(EmbeddedPostgres.shared(), seed, World.ORDERS, SLOW)) {
      for (int i = 0; i < 3; i++) {
        startAnother(world);
      }
      world.awaitShared(3);
      world.traffic().everything();
      long end = System.nanoTime() + LENGTH.toNanos();
      while (System.nanoTime() - end < 0) {
        crash(world, alive.get(random.nextInt(alive.size())));
        LockSupport.parkNanos(Duration.ofMillis(200 + random.nextInt(3_000)).toNanos());
      }
      world.finish();
    }
  }

  private void startAnother(World world) {
    alive.add(
        world.start(
            world
                .setup("relay-" + ++started)
                .receivers(World.receiver(World.ORDERS, 3), World.receiver(SLOW, 40))));
  }

  private void crash(World world, RelayProcess victim) {
    boolean atPoint = random.nextBoolean();
    Action action = random.nextBoolean() ? Action.KILL : Action.FREEZE;
    String frozenBy = null;
    if (atPoint) {
      victim.awaitReady();
      String order =
          victim.arm(POINTS.get(random.nextInt(POINTS.size())), action, 1 + random.nextInt(3));
      // It may hold no lane that leads there: then the signal comes from outside.
      if (victim.awaitReachedOrDisarm(order, Duration.ofSeconds(2))) {
        frozenBy = order;
      }
    }
    if (action == Action.KILL) {
      victim.kill();
      alive.remove(victim);
      startAnother(world);
    } else {
      victim.freeze();
      LockSupport.parkNanos(Duration.ofMillis(random.nextInt(5_000)).toNanos());
      victim.thaw();
      if (frozenBy != null) {
        victim.thaw(frozenBy);
      }
    }
  }
}
