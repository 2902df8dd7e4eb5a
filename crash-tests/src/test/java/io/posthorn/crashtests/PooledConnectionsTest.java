package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.PgBouncer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Between relays and the database stands a pooler that keeps nothing of a session. */
@Tag("slow")
class PooledConnectionsTest {
  @Test
  void nothing_is_lost_when_relays_and_their_pooler_are_killed() {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    String database = postgres.freshDatabase();
    try (PgBouncer bouncer = PgBouncer.inFrontOf(postgres.port()).start();
        World world =
            World.at(
                postgres.dataSource(database),
                bouncer.jdbcUrl(database) + "&socketTimeout=5&connectTimeout=2",
                51)) {
      world.start("a");
      world.start("b");
      world.awaitShared(2);
      world.traffic().everything();
      for (int i = 0; i < 3; i++) {
        world.awaitDelivery(World.ORDERS);
        RelayProcess victim = world.holder(World.ORDERS);
        victim.kill();
        Takeover takeover = Takeover.from(world, victim);
        world.start("relay-" + i);
        takeover.await();
      }
      bouncer.kill();
      bouncer.start();
      world.awaitDelivery(World.ORDERS);
      world.finish();
      BrokenPromise.unless(
          () ->
              assertThat(world.duplicates(World.ORDERS))
                  .as(() -> world.story("duplicates"))
                  .isLessThanOrEqualTo(
                      (3 + world.losses(World.ORDERS)) * world.setup("any").batchSize()));
    }
  }
}
