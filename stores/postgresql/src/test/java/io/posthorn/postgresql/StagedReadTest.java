package io.posthorn.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.ClaimLimits;
import io.posthorn.core.store.Delivery;
import io.posthorn.core.store.Lane;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.Serving;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The two stages find what the plain definition of a window says, in any page size. */
class StagedReadTest {
  private static final int STEPS = 100;

  private record Look(Snapshot snapshot, long low, long high) {}

  private final PostgresqlDatabase postgresql = TestServer.newest().databaseOfItsOwn();
  private final PostgresqlStore store = PostgresqlStore.on(postgresql.dataSource());
  private final Database database = new Database(postgresql.dataSource(), Tables.DEFAULT);

  @Test
  void staged_pages_hold_what_the_second_snapshot_sees_and_the_first_does_not() throws Exception {
    long seed = Long.getLong("posthorn.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    Random random = new Random(seed);
    store.register("staged", List.of(new Serving("staged", Set.of(Serving.ALL_TYPES))));
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "staged", "staged");
    store.join(relay, List.of(), Duration.ofHours(1));
    List<Look> looks = history(random, store.take(relay, "staged", 0).orElseThrow());
    for (int i = 0; i < looks.size(); i++) {
      for (int j = i + 1; j < looks.size(); j += 1 + random.nextInt(5)) {
        Look first = looks.get(i);
        Look second = looks.get(j);
        Window window =
            new Window(first.snapshot, first.low, second.snapshot, second.low, second.high);
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
   * One step after the other: transactions begin, write, roll back a part, end; and somebody looks.
   */
  private List<Look> history(Random random, Lane lane) throws SQLException {
    List<Look> looks = new ArrayList<>();
    List<Connection> open = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      int what = random.nextInt(10);
      if (open.isEmpty() || (what < 2 && open.size() < 12)) {
        Connection connection = postgresql.dataSource().getConnection();
        connection.setAutoCommit(false);
        open.add(connection);
        write(connection, random);
      } else if (what < 5) {
        write(open.get(random.nextInt(open.size())), random);
      } else if (what < 8) {
        Connection connection = open.remove(random.nextInt(open.size()));
        if (random.nextInt(4) == 0) {
          connection.rollback();
        } else {
          connection.commit();
        }
        connection.close();
      } else {
        looks.add(look(lane));
        assertOpens(lane, looks.get(random.nextInt(looks.size())), 1 + random.nextInt(20));
      }
    }
    for (Connection connection : open) {
      connection.commit();
      connection.close();
    }
    looks.add(look(lane));
    return looks;
  }

  private void write(Connection connection, Random random) throws SQLException {
    Savepoint savepoint = connection.setSavepoint();
    List<Message> messages =
        IntStream.rangeClosed(0, random.nextInt(3))
            .mapToObj(i -> Message.of("T").json(new byte[random.nextInt(60)]).build())
            .toList();
    store.append(connection, messages, Collections.nCopies(messages.size(), ""), false);
    if (random.nextInt(5) == 0) {
      connection.rollback(savepoint);
    }
  }

  private Look look(Lane lane) {
    return database.transaction(
        "looking",
        tx -> {
          LaneRow row = LaneRow.lock(tx, lane);
          return new Look(row.now(), row.low(), row.high());
        });
  }

  /** What is read together with the look, and on from there, is what the window holds. */
  private void assertOpens(Lane lane, Look start, int messages) {
    Routes all = new Routes(UUID.randomUUID(), List.of(new Routes.Route("*", 0)));
    ClaimLimits limits = new ClaimLimits(messages, 1L << 30);
    List<Long> opened = new ArrayList<>();
    Window window =
        database.transaction(
            "opening",
            tx -> {
              Opening opening =
                  Objects.requireNonNull(
                      Opening.at(new Opening.Start(start.snapshot, start.low), all, limits));
              LaneRow row = opening.lock(tx, lane);
              Window next = new Window(start.snapshot, start.low, row.now(), row.low(), row.high());
              LogReader reader = new LogReader(tx, "staged", all);
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
          LogReader reader = new LogReader(tx, "staged", all);
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
