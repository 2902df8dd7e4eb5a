package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;

/** From a crash until another relay delivers: at most the lease and two seconds. */
final class Takeover {
  private static final Duration GRACE = Duration.ofSeconds(2);

  private final World world;
  private final RelayProcess victim;
  private final long at = System.nanoTime();
  private final Duration stalled = Stalls.sum();

  private Takeover(World world, RelayProcess victim) {
    this.world = world;
    this.victim = victim;
  }

  /** This relay has just been killed or frozen. */
  static Takeover from(World world, RelayProcess victim) {
    return new Takeover(world, victim);
  }

  /** Waits for the first delivery by another. */
  void await() {
    Journal.Line next = next();
    Duration took = Duration.ofNanos(next.nanos() - at);
    Duration lost = Stalls.sum().minus(stalled);
    assertThat(took)
        .as(() -> world.story("takeover from " + at + ", while the machine lost " + lost))
        .isLessThan(world.setup("any").lease().plus(GRACE).plus(lost));
  }

  /** However slow the machine is: that nobody takes over is no matter of luck. */
  private Journal.Line next() {
    try {
      return world.awaitDelivery(World.ORDERS, at, Set.of(victim.pid()));
    } catch (AssertionError e) {
      throw new BrokenPromise(e.getMessage());
    }
  }
}
