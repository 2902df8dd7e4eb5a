package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.outbox.Outbox;
import io.posthorn.crashtests.CrashPlan.Action;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A settle that only closes a window does not wait until it is on disk. The server is killed right
 * after one, before anything else has brought it there, so it has never been.
 */
@Tag("slow")
class UnflushedSettleTest {
  private static final List<String> KEYS = List.of("a", "b", "c", "d", "e", "f");
  private static final int CRASHES = 6;

  /** More than three batches. */
  private static final int MANY = 70;

  private static final String OPEN_WINDOW =
      """
      SELECT count(*)
        FROM (SELECT s2
                FROM posthorn_progress
               WHERE destination = 'orders'
               ORDER BY n DESC
               LIMIT 1) newest
       WHERE s2 IS NOT NULL
      """;

  @Test
  void one_batch_at_most_comes_again_and_nothing_is_lost_when_the_server_forgets_a_settle()
      throws SQLException {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().setting("wal_writer_delay", "10s").start()) {
      String database = postgres.freshDatabase();
      DataSource dataSource = postgres.dataSource(database);
      try (World world = World.at(dataSource, postgres.jdbcUrl(database) + World.TIMEOUTS, 61)) {
        world.oracle().keys(KEYS);
        RelayProcess relay = world.start("relay").awaitReady();
        int forgotten = 0;
        for (int i = 0; i < CRASHES; i++) {
          produce(dataSource, world);
          awaitSettled(world);
          String order = relay.arm(CrashPoint.SETTLE_UNFLUSHED, Action.FREEZE, 1);
          produce(dataSource, world);
          relay.awaitReached(order);
          postgres.kill();
          world.serverCrashed();
          postgres.start();

          int before = world.repeats(World.ORDERS).all().size();
          relay = i % 2 == 0 ? goOn(relay) : startAnother(world, relay, i);
          // What comes again comes before these.
          produce(dataSource, world);
          awaitSettled(world);
          int repeats = world.repeats(World.ORDERS).all().size() - before;
          BrokenPromise.unless(
              () ->
                  assertThat(repeats)
                      .as(() -> world.story("came again"))
                      .isLessThanOrEqualTo(world.setup("any").batchSize()));
          forgotten += repeats > 0 ? 1 : 0;
        }
        world.finish();
        assertThat(forgotten).as("settles that the server forgot").isPositive();
      }
    }
  }

  /** It remembers what the server has forgotten. */
  private static RelayProcess goOn(RelayProcess relay) {
    relay.thaw();
    return relay;
  }

  private static RelayProcess startAnother(World world, RelayProcess relay, int number) {
    relay.kill();
    return world.start("relay-" + number).awaitReady();
  }

  private static void produce(DataSource dataSource, World world) throws SQLException {
    Outbox outbox = Outbox.on(PostgresqlStore.on(dataSource), Traffic.TYPES).build();
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      keys.add(KEYS.get(i % KEYS.size()));
    }
    try (Connection tx = dataSource.getConnection()) {
      tx.setAutoCommit(false);
      world.oracle().produce(tx, outbox, keys);
      tx.commit();
    }
  }

  private static void awaitSettled(World world) {
    world.awaitArrival();
    world.eventually(
        "the last window to be settled",
        () -> world.query().number(OPEN_WINDOW) == 0 ? true : null);
  }
}
