package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The server dies, stands still, or forgets; relays and producers live on. */
@Tag("slow")
class DatabaseCrashTest {
  @Test
  void nothing_is_lost_when_the_server_is_killed_and_restarted_under_traffic() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
        World world = World.in(postgres, 21)) {
      world.start("a");
      world.start("b");
      world.awaitShared(2);
      world.traffic().everything();
      for (int i = 0; i < 3; i++) {
        world.awaitDelivery(World.ORDERS);
        postgres.kill();
        world.serverCrashed();
        postgres.start();
      }
      world.awaitDelivery(World.ORDERS);
      world.finish();
    }
  }

  /**
   * With synchronous_commit = off a crash takes back the last transactions, and the server gives
   * their ids to new ones. Whatever a relay has seen of them must not make it skip those.
   */
  @Test
  void nothing_is_lost_when_the_ids_of_transactions_that_vanished_are_used_again() {
    try (EmbeddedPostgres postgres =
            EmbeddedPostgres.builder().setting("wal_writer_delay", "10s").start();
        World world = forgetful(postgres)) {
      List<RelayProcess> relays = List.of(world.start("a"), world.start("b"));
      world.awaitShared(2);
      world.traffic().everything();
      int reused = 0;
      for (int i = 0; i < 6; i++) {
        world.awaitDelivery(World.ORDERS);
        rollBackSome(world);
        // Whatever a relay commits makes all before it durable; so every other time it comes to
        // nothing any more.
        List<RelayProcess> frozen = i % 2 == 0 ? relays : List.of();
        frozen.forEach(RelayProcess::freeze);
        long before = rollBackSome(world);
        postgres.kill();
        world.serverCrashed();
        postgres.start();
        reused += newestId(world) < before ? 1 : 0;
        frozen.forEach(RelayProcess::thaw);
      }
      world.awaitDelivery(World.ORDERS);
      world.finish();
      assertThat(reused).as("crashes after which ids were used again").isPositive();
    }
  }

  private static World forgetful(EmbeddedPostgres postgres) {
    String database = postgres.freshDatabase();
    new Query(postgres.dataSource())
        .execute("ALTER DATABASE " + database + " SET synchronous_commit = off");
    return World.at(postgres.dataSource(database), postgres.jdbcUrl(database) + World.TIMEOUTS, 22);
  }

  /** Uses up ids that nothing makes durable; returns the newest. */
  private static long rollBackSome(World world) {
    world
        .query()
        .execute(
            """
            DO $$
            BEGIN
              FOR i IN 1..50 LOOP
                PERFORM pg_current_xact_id();
                ROLLBACK;
              END LOOP;
            END $$
            """);
    return newestId(world);
  }

  private static long newestId(World world) {
    return world.query().number("SELECT pg_snapshot_xmax(pg_current_snapshot())::text");
  }

  @Test
  void nothing_is_lost_when_the_server_stands_still_for_longer_than_the_lease() {
    try (EmbeddedPostgres postgres = EmbeddedPostgres.builder().start();
        World world = World.in(postgres, 23)) {
      world.start("a");
      world.start("b");
      world.awaitShared(2);
      world.traffic().everything();
      world.awaitDelivery(World.ORDERS);
      postgres.freeze();
      LockSupport.parkNanos(world.setup("any").lease().plus(Duration.ofSeconds(2)).toNanos());
      postgres.thaw();
      world.awaitDelivery(World.ORDERS);
      world.finish();
    }
  }
}
