package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.lane.Buckets;
import io.posthorn.postgresql.lane.LaneRow;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.log.RandomHistory.Look;
import io.posthorn.postgresql.route.Routes;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.TableNames;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * The two stages of reading find exactly what the definition of a window says, with any page size.
 */
class StagedReadTest {
  private final PostgresqlDatabase postgresql = TestServer.newest().databaseOfItsOwn();
  private final Database database = new Database(postgresql.dataSource(), TableNames.DEFAULT);

  @Test
  void staged_pages_hold_what_the_second_snapshot_sees_and_the_first_does_not() throws Exception {
    long seed = Long.getLong("posthorn.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    Random random = new Random(seed);
    RandomHistory history = new RandomHistory(postgresql, database, random);
    List<Look> looks =
        history.play(
            soFar ->
                assertOpens(
                    history.lane(),
                    soFar.get(random.nextInt(soFar.size())),
                    1 + random.nextInt(20)));
    for (int i = 0; i < looks.size(); i++) {
      for (int j = i + 1; j < looks.size(); j += 1 + random.nextInt(5)) {
        Look first = looks.get(i);
        Look second = looks.get(j);
        Window window =
            new Window(
                first.snapshot(), first.low(), second.snapshot(), second.low(), second.high());
        List<Long> plain = plain(window);
        Set<Long> ahead = new HashSet<>();
        plain.stream().filter(seq -> random.nextInt(6) == 0).forEach(ahead::add);
        List<Long> expected = plain.stream().filter(seq -> !ahead.contains(seq)).toList();
        for (int size : new int[] {1, 3, 1_000}) {
          assertThat(staged(window, List.copyOf(ahead), new ClaimLimits(size, 1L << 30)))
              .as("seed %d, window %d to %d, pages of %d", seed, i, j, size)
              .isEqualTo(expected);
        }
        assertThat(staged(window, List.copyOf(ahead), new ClaimLimits(1_000, 40)))
            .as("seed %d, window %d to %d, pages of 40 bytes", seed, i, j)
            .isEqualTo(expected);
      }
    }
    postgresql.discard();
  }

  /**
   * Asserts that the read together with the look, and the reads that follow, return exactly the
   * window.
   */
  private void assertOpens(Lane lane, Look start, int messages) {
    Routes all = new Routes(UUID.randomUUID(), List.of(new Routes.Route("*", 0)));
    ClaimLimits limits = new ClaimLimits(messages, 1L << 30);
    List<Long> opened = new ArrayList<>();
    Window window =
        database.transaction(
            "opening",
            tx -> {
              SpeculativeClaim opening =
                  Objects.requireNonNull(
                      SpeculativeClaim.at(
                          new SpeculativeClaim.Start(start.snapshot(), start.low(), Buckets.ALL),
                          all,
                          limits));
              LaneRow row = opening.lock(tx, lane);
              Window next =
                  new Window(start.snapshot(), start.low(), row.now(), row.low(), row.high());
              LogReader reader = new LogReader(tx, RandomHistory.DESTINATION, Buckets.ALL, all);
              Page page = Objects.requireNonNull(opening.read(reader, next, all));
              page.deliveries().stream().map(Delivery::seq).forEach(opened::add);
              while (page.more()) {
                page = reader.read(next, page.end(), List.of(), limits);
                page.deliveries().stream().map(Delivery::seq).forEach(opened::add);
              }
              return next;
            });
    assertThat(opened).isEqualTo(plain(window));
  }

  private List<Long> plain(Window window) {
    return postgresql.query(
        """
        SELECT seq
          FROM posthorn_log
         WHERE pg_visible_in_snapshot(tx, '%s'::pg_snapshot)
           AND NOT pg_visible_in_snapshot(tx, '%s'::pg_snapshot)
         ORDER BY seq
        """
            .formatted(window.s2(), window.s1()),
        row -> row.getLong(1));
  }

  private List<Long> staged(Window window, List<Long> ahead, ClaimLimits limits) {
    Routes all = new Routes(UUID.randomUUID(), List.of(new Routes.Route("*", 0)));
    return database.transaction(
        "reading",
        tx -> {
          LogReader reader = new LogReader(tx, RandomHistory.DESTINATION, Buckets.ALL, all);
          List<Long> seqs = new ArrayList<>();
          long last = 0;
          for (boolean more = true; more; ) {
            Page page = reader.read(window, last, ahead, limits);
            page.deliveries().stream().map(Delivery::seq).forEach(seqs::add);
            assertThat(page.deliveries()).hasSizeLessThanOrEqualTo(limits.messages());
            last = page.end();
            more = page.more();
          }
          return seqs;
        });
  }
}
