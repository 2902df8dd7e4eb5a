package io.posthorn.crashtests;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.testservers.EmbeddedPostgres;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The server dies and its copy is made the primary. */
@Tag("slow")
class FailoverTest {
  private static final Duration A_WHILE = Duration.ofSeconds(1);
  private static final String SYNCHRONOUS =
      "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";

  /**
   * The copy lacks the last transactions. What was delivered of those cannot be called back; but
   * what is written from then on, under ids that a relay may remember, must arrive.
   */
  @Test
  void nothing_that_a_promoted_copy_knows_is_lost_or_reordered() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start();
        EmbeddedPostgres copy = primary.standby()) {
      String database = primary.freshDatabase();
      String url = url(primary, copy, database);
      try (World world = World.at(dataSource(url), url + World.TIMEOUTS, 31)) {
        world.start("a");
        world.start("b");
        world.awaitShared(2);
        world.traffic().everything();
        world.awaitDelivery(World.ORDERS);

        long known = System.nanoTime();
        copy.awaitReplayOf(primary);
        copy.stop();
        long lost = world.oracle().committed();
        LockSupport.parkNanos(A_WHILE.toNanos());
        world.awaitDelivery(World.ORDERS);
        lost = world.oracle().committed() - lost;
        primary.kill();
        copy.start();
        copy.promote();

        world.awaitDelivery(World.ORDERS);
        world.finishAfterLoss();
        assertThat(lost).as("messages that the copy lacked").isPositive();
        // What a receiver has got and the copy does not know is listed for a person, and only that.
        Set<String> got =
            world
                .journal()
                .deliveries()
                .filter(line -> line.outcome().equals("Sent"))
                .map(Journal.Line::messageId)
                .collect(Collectors.toSet());
        got.removeAll(Set.copyOf(world.query().texts("SELECT id::text FROM posthorn_log")));
        assertThat(got).as("ghosts").isNotEmpty();
        BrokenPromise.unless(() -> assertThat(world.ghosts()).isEqualTo(got));
        // Of what was delivered later, the copy knows nothing.
        BrokenPromise.unless(
            () ->
                assertThat(
                        world.repeats(World.ORDERS).all().stream().filter(r -> r.first() < known))
                    .as(() -> world.story("came again, though the copy knew of it"))
                    .hasSizeLessThanOrEqualTo(world.setup("any").batchSize()));
      }
    }
  }

  /**
   * A commit waits for the copy, and nobody sees before then what it wrote. So the copy knows all
   * that was delivered, and the oracle can be asked.
   */
  @Test
  void nothing_is_lost_and_nothing_was_sent_too_early_if_commits_wait_for_the_copy() {
    try (EmbeddedPostgres primary = EmbeddedPostgres.builder().start();
        EmbeddedPostgres copy = primary.standby()) {
      String database = primary.freshDatabase();
      String url = url(primary, copy, database);
      try (World world = World.at(dataSource(url), url + World.TIMEOUTS, 32)) {
        world.start("a");
        world.start("b");
        world.awaitShared(2);
        world.query().execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
        world.query().texts("SELECT pg_reload_conf()");
        world.eventually(
            "the copy to be waited for",
            () -> world.query().number(SYNCHRONOUS) == 1 ? true : null);
        world.traffic().everything();
        world.awaitDelivery(World.ORDERS);

        copy.stop();
        LockSupport.parkNanos(A_WHILE.toNanos());
        copy.start();
        world.awaitDelivery(World.ORDERS);

        // What is delivered without the copy's knowledge would be a ghost.
        copy.stop();
        LockSupport.parkNanos(A_WHILE.toNanos());
        primary.kill();
        world.serverCrashed();
        copy.start();
        copy.promote();
        world.awaitDelivery(World.ORDERS);
        world.finish();
        BrokenPromise.unless(() -> assertThat(world.ghosts()).isEmpty());
      }
    }
  }

  private static String url(EmbeddedPostgres primary, EmbeddedPostgres copy, String database) {
    return ("jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/%s?user=postgres&sslmode=disable"
            + "&targetServerType=primary&hostRecheckSeconds=0")
        .formatted(primary.port(), copy.port(), database);
  }

  private static DataSource dataSource(String url) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    return source;
  }
}
