package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testkit.Oracle;
import io.posthorn.testservers.EmbeddedPostgres;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Relays of two versions, or with different luck, serve one destination. */
@Tag("slow")
class RollingDeployTest {
  @Test
  void a_type_that_old_relays_lack_is_neither_passed_nor_reordered_and_new_ones_take_over() {
    try (World world = World.in(EmbeddedPostgres.shared(), 61)) {
      RelayProcess oldOne = world.start(old(world, "old-1"));
      RelayProcess oldTwo = world.start(old(world, "old-2"));
      world.awaitShared(2);
      world.traffic().plain().late();
      world.awaitDelivery(World.ORDERS);

      RelayProcess newOne = world.start("new-1").awaitReady();
      world.traffic().mixed();
      world.eventually("the new version to take over", () -> holds(world, newOne));
      world.awaitArrival();
      world.start("new-2").awaitReady();
      oldOne.stop();
      oldTwo.stop();
      world.awaitArrival();
      world.finish();
      BrokenPromise.unless(
          () ->
              assertThat(world.duplicates(World.ORDERS))
                  .as(() -> world.story("duplicates"))
                  .isLessThanOrEqualTo(
                      world.losses(World.ORDERS) * world.setup("any").batchSize()));
    }
  }

  private static RelaySetup old(World world, String name) {
    Set<String> types = Set.of(Oracle.TYPE, Traffic.KNOWN);
    return world
        .setup(name)
        .receivers(new RelaySetup.Receiver(World.ORDERS, types, types, 3, true));
  }

  /** Old code, new routes: the relay that holds the lane meets a type it has no code for. */
  @Test
  void a_type_without_code_waits_for_a_relay_that_has_it_and_its_key_waits_too() {
    try (World world = World.in(EmbeddedPostgres.shared(), 62)) {
      RelaySetup halfDeployed =
          world
              .setup("half")
              .receivers(
                  new RelaySetup.Receiver(
                      World.ORDERS,
                      Set.copyOf(Traffic.WANTED),
                      Set.of(Oracle.TYPE, Traffic.KNOWN),
                      3,
                      true));
      RelayProcess half = world.start(halfDeployed);
      world.awaitShared(1);
      world.traffic().plain().mixed();
      world.awaitDelivery(World.ORDERS);
      world.start("whole").awaitReady();
      half.stop();
      world.awaitDelivery(World.ORDERS);
      world.finish();
    }
  }

  @Test
  void a_relay_that_cannot_reach_its_destination_leaves_it_to_one_that_can() {
    try (World world = World.in(EmbeddedPostgres.shared(), 63)) {
      Set<String> types = Set.copyOf(Traffic.WANTED);
      RelaySetup unlucky =
          world
              .setup("unlucky")
              .receivers(new RelaySetup.Receiver(World.ORDERS, types, types, 3, false));
      world.start(unlucky).awaitReady();
      world.traffic().everything();
      world.eventually(
          "the unlucky to hold the lane",
          () -> "unlucky".equals(world.query().holder(World.ORDERS)) ? true : null);
      RelayProcess lucky = world.start("lucky");
      world.eventually("the lucky to hold the lane", () -> holds(world, lucky));
      world.finish();
      BrokenPromise.unless(
          () ->
              assertThat(
                      world
                          .query()
                          .number(
                              "SELECT count(*) FROM posthorn_dead WHERE last_reason = 'UNREACHABLE'"))
                  .isZero());
    }
  }

  private static Boolean holds(World world, RelayProcess relay) {
    return relay.name().equals(world.query().holder(World.ORDERS)) ? true : null;
  }
}
