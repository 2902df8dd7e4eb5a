package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A graceful stop hands over everything: nobody sees that relays come and go. */
@Tag("slow")
class RollingRestartTest {
  private static final int RESTARTS = 20;

  @Test
  void twenty_rolling_restarts_under_traffic_deliver_nothing_twice() {
    try (World world = World.in(EmbeddedPostgres.shared(), 11)) {
      RelayProcess oldest = world.start(setup(world, 0)).awaitReady();
      RelayProcess older = world.start(setup(world, 1)).awaitReady();
      world.traffic().everything();
      for (int i = 2; i < RESTARTS + 2; i++) {
        RelayProcess next = world.start(setup(world, i)).awaitReady();
        oldest.stop();
        oldest = older;
        older = next;
      }
      world.finish();
      // Where a machine that stood still has cost a lane, duplicates may come of it.
      assertThat(world.losses(World.ORDERS)).isZero();
      BrokenPromise.unless(
          () ->
              assertThat(world.duplicates(World.ORDERS))
                  .as(() -> world.story("duplicates"))
                  .isZero());
    }
  }

  private static RelaySetup setup(World world, int number) {
    return world
        .setup("relay-" + number)
        .with(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(3));
  }
}
