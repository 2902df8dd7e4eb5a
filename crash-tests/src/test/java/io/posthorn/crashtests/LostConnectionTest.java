package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.Cut;
import io.posthorn.testservers.Direction;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FaultProxy;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The connection of a relay breaks at the worst moment: when nobody can tell what was committed.
 */
@Tag("slow")
class LostConnectionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "write closed progress",
        "write closed progress, unflushed",
        "write progress",
        "write attempts",
        "fall due",
        "beat"
      })
  void nothing_is_lost_or_doubled_when_the_connection_breaks_at_the_commit_after(String statement) {
    try (FaultProxy proxy = FaultProxy.to(EmbeddedPostgres.shared().port());
        World world = world(proxy)) {
      world.start(patient(world)).awaitReady();
      if (statement.endsWith("unflushed")) {
        // Such a settle finds nothing more in the log, and nothing parked is under way beside it.
        world.traffic().plain();
      } else {
        world.traffic().everything();
      }
      for (int i = 0; i < 2; i++) {
        world.awaitDelivery(World.ORDERS);
        proxy.cutBeforeForward(Moment.commitAfter(statement)).awaitFired(PATIENCE);
        world.awaitDelivery(World.ORDERS);
        Cut cut = proxy.cutBeforeReply(Moment.commitAfter(statement));
        cut.awaitFired(PATIENCE);
      }
      world.awaitDelivery(World.ORDERS);
      world.finish();
      assertThat(world.losses(World.ORDERS)).as(() -> world.story("lost lanes")).isZero();
      BrokenPromise.unless(
          () ->
              assertThat(world.duplicates(World.ORDERS))
                  .as(() -> world.story("duplicates"))
                  .isZero());
    }
  }

  /** In the middle of a statement or of an answer, wherever that is. */
  @ParameterizedTest
  @EnumSource(Direction.class)
  void nothing_is_lost_or_doubled_when_the_connection_breaks_anywhere(Direction direction) {
    Random random = new Random(43);
    try (FaultProxy proxy = FaultProxy.to(EmbeddedPostgres.shared().port());
        World world = world(proxy)) {
      world.start(patient(world)).awaitReady();
      world.traffic().everything();
      for (int i = 0; i < 15; i++) {
        world.awaitDelivery(World.ORDERS);
        proxy.cutAfterBytes(direction, 1 + random.nextInt(3_000)).awaitFired(PATIENCE);
      }
      world.awaitDelivery(World.ORDERS);
      world.finish();
      assertThat(world.losses(World.ORDERS)).as(() -> world.story("lost lanes")).isZero();
      BrokenPromise.unless(
          () ->
              assertThat(world.duplicates(World.ORDERS))
                  .as(() -> world.story("duplicates"))
                  .isZero());
    }
  }

  /** The lane is granted, and the one it is granted to does not know. */
  @ParameterizedTest
  @ValueSource(strings = {"grant lane", "release lane"})
  void a_lane_is_not_left_alone_when_the_connection_breaks_at_the_commit_after(String statement) {
    try (FaultProxy proxy = FaultProxy.to(EmbeddedPostgres.shared().port());
        World world = world(proxy)) {
      Cut cut = proxy.cutBeforeReply(Moment.commitAfter(statement));
      world.start(patient(world)).awaitReady();
      world.traffic().everything();
      if (statement.equals("release lane")) {
        world.start(patient(world).named("second"));
      }
      cut.awaitFired(PATIENCE);
      world.awaitDelivery(World.ORDERS);
      world.finish();
    }
  }

  @Test
  void another_relay_goes_on_when_one_is_cut_off_from_the_database_without_noticing() {
    try (FaultProxy proxy = FaultProxy.to(EmbeddedPostgres.shared().port());
        World world = World.in(EmbeddedPostgres.shared(), 42)) {
      RelaySetup other = world.setup("other");
      String behindProxy =
          other
              .url()
              .replace(":" + EmbeddedPostgres.shared().port() + "/", ":" + proxy.port() + "/");
      RelayProcess victim = world.start(world.setup("victim").url(behindProxy)).awaitReady();
      world.traffic().everything();
      world.awaitDelivery(World.ORDERS);
      proxy.drop();
      Takeover takeover = Takeover.from(world, victim);
      world.start(other);
      takeover.await();
      long sent = deliveriesBy(world, victim);
      world.awaitDelivery(World.ORDERS, System.nanoTime(), Set.of(victim.pid()));
      BrokenPromise.unless(
          () ->
              assertThat(deliveriesBy(world, victim))
                  .as("deliveries after the takeover")
                  .isEqualTo(sent));
      proxy.reset();
      proxy.pass();
      world.finish();
      BrokenPromise.unless(
          () ->
              assertThat(world.duplicates(World.ORDERS))
                  .isLessThanOrEqualTo(
                      (1 + world.losses(World.ORDERS)) * world.setup("any").batchSize()));
    }
  }

  private static long deliveriesBy(World world, RelayProcess relay) {
    return world.journal().deliveries().filter(line -> line.pid() == relay.pid()).count();
  }

  private static World world(FaultProxy proxy) {
    String database = EmbeddedPostgres.shared().freshDatabase();
    return World.at(
        EmbeddedPostgres.shared().dataSource(database),
        EmbeddedPostgres.jdbcUrl(proxy.port(), database) + World.TIMEOUTS + "&prepareThreshold=0",
        41);
  }

  /** With a lease that outlasts the failure: it is to go on by itself. */
  private static RelaySetup patient(World world) {
    return world
        .setup("patient")
        .with(Duration.ofSeconds(10), Duration.ofSeconds(2), Duration.ofSeconds(3));
  }
}
