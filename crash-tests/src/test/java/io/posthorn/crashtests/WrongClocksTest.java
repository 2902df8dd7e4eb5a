package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FakeClock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clocks that are wrong and jump: those of relays, which matter to nobody, and that of the server,
 * which may cost time and duplicates.
 */
@Tag("slow")
class WrongClocksTest {
  /** What {@link RelayMain} waits at least before it tries again. */
  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);

  private static final Duration HOUR = Duration.ofHours(1);

  /** More than the time limit of retries, and than the grace of messages without a route. */
  private static final Duration DAYS = Duration.ofHours(30);

  private static final String GIVEN_UP_FOR_TIME =
      """
      SELECT count(*)
        FROM posthorn_dead
       WHERE reason = 'NO_ROUTE'
          OR last_reason = 'WEARY'
         AND attempts <> 6
      """;

  private static final String LONGEST_LEASE =
      "SELECT ceil(extract(epoch FROM max(expires_at) - clock_timestamp())) FROM posthorn_relay";

  @Test
  void clocks_of_relays_that_are_wrong_and_jump_change_nothing() {
    try (FakeClock behind = FakeClock.shifted(HOUR.negated());
        FakeClock ahead = FakeClock.shifted(HOUR);
        FakeClock jumping = FakeClock.shifted(Duration.ZERO);
        World world = World.in(EmbeddedPostgres.shared(), 91)) {
      Map<String, FakeClock> clocks = Map.of("behind", behind, "ahead", ahead, "jumping", jumping);
      clocks.forEach((name, clock) -> start(world, name, clock));
      world.awaitShared(2);
      world.traffic().everything();
      for (Duration shift : List.of(DAYS, DAYS.negated(), HOUR)) {
        world.awaitDelivery(World.ORDERS);
        jumping.shift(shift);
        // Each of them is the holder at some time, and dies as one.
        RelayProcess victim = world.holder(World.ORDERS);
        victim.kill();
        Takeover.from(world, victim).await();
        start(world, victim.name(), clocks.get(victim.name()));
        jumping.shift(shift.negated());
      }
      world.awaitDelivery(World.ORDERS);
      world.finish();
      assertThat(world.losses(World.ORDERS)).as(() -> world.story("lost lanes")).isZero();
      BrokenPromise.unless(
          () -> {
            assertThat(world.staleSends(World.ORDERS)).as("sends by two owners").isEmpty();
            assertThat(triedAgainTooSoon(world)).isEmpty();
            assertThat(world.query().number(GIVEN_UP_FOR_TIME)).isZero();
          });
    }
  }

  private static RelayProcess start(World world, String name, FakeClock clock) {
    return world.keep(RelayProcess.start(world.setup(name), clock));
  }

  /** What came again sooner after a failure than it should have. */
  private static List<Journal.Line> triedAgainTooSoon(World world) {
    Map<String, Journal.Line> failed = new HashMap<>();
    List<Journal.Line> again = world.journal().deliveries().toList();
    assertThat(again.stream().filter(line -> line.outcome().equals("Failed"))).isNotEmpty();
    return again.stream()
        .filter(
            line -> {
              Journal.Line before =
                  line.outcome().equals("Failed")
                      ? failed.put(line.messageId(), line)
                      : failed.remove(line.messageId());
              return before != null && line.nanos() - before.nanos() < SHORTEST_PAUSE.toNanos();
            })
        .toList();
  }

  /**
   * All leases end at once, and then they end in an hour. What waits for its time then waits for an
   * hour, too; that passes when the clock is right again.
   */
  @Test
  void nothing_is_lost_or_reordered_when_the_clock_of_the_server_jumps() {
    try (FakeClock clock = FakeClock.shifted(Duration.ZERO);
        EmbeddedPostgres postgres = EmbeddedPostgres.builder().clock(clock).start()) {
      String database = postgres.freshDatabase();
      String url = postgres.jdbcUrl(database) + World.TIMEOUTS;
      try (World world = World.at(postgres.dataSource(database), url, 92)) {
        world.start("a");
        world.start("b");
        world.awaitShared(2);
        world.traffic().plain().troubled().late();
        for (Duration shift : List.of(HOUR, Duration.ZERO, DAYS, HOUR.negated())) {
          world.awaitDelivery(World.ORDERS);
          clock.shift(shift);
          world.awaitDelivery(World.ORDERS);
        }
        // Each live relay has since renewed its lease by the new clock.
        long lease = world.setup("any").lease().toSeconds();
        world.eventually(
            "leases by the new clock",
            () -> world.query().number(LONGEST_LEASE) <= lease ? true : null);
        RelayProcess victim = world.holder(World.ORDERS);
        victim.kill();
        Takeover.from(world, victim).await();
        world.start("c");
        clock.shift(DAYS);
        world.awaitDelivery(World.ORDERS);
        world.finish();
      }
    }
  }
}
