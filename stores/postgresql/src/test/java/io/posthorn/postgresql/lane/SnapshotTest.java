package io.posthorn.postgresql.lane;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class SnapshotTest {
  private static final PostgresqlDatabase DATABASE = TestServer.newest().database();

  @AfterAll
  static void close() {
    DATABASE.close();
  }

  @Test
  void naming_the_newest_transactions_changes_nothing_of_what_is_seen() {
    Random random = new Random(7);
    for (int i = 0; i < 50; i++) {
      String plain = random(random);
      Snapshot snapshot = Snapshot.parse(plain);
      Snapshot named = snapshot.upTo(90 + random.nextInt(60));
      assertThat(seenByPostgresql(named.text()))
          .as("%s and %s", plain, named)
          .isEqualTo(seenByPostgresql(plain));
    }
  }

  @Test
  void it_sees_what_postgresql_sees() {
    Random random = new Random(8);
    for (int i = 0; i < 50; i++) {
      Snapshot snapshot = Snapshot.parse(random(random));
      String seen =
          LongStream.range(50, 160)
              .filter(snapshot::sees)
              .mapToObj(String::valueOf)
              .collect(Collectors.joining(","));
      assertThat(seen).isEqualTo(seenByPostgresql(snapshot.text()));
    }
  }

  @Test
  void what_ran_and_runs_no_more_has_finished() {
    Snapshot before = Snapshot.parse("10:20:10,12,15").upTo(22);
    assertThat(before.running()).containsExactly(10L, 12L, 15L, 20L, 21L);
    assertThat(before.finishedBy(Snapshot.parse("12:21:12"))).containsExactly(10L, 15L, 20L);
    assertThat(before.finishedBy(before)).isEmpty();
  }

  @Test
  void the_next_id_is_found_by_its_lower_half() {
    long wrap = 1L << 32;
    Snapshot snapshot = Snapshot.parse((wrap - 2) + ":" + (wrap - 2) + ":");
    assertThat(snapshot.upToModulo(1).running()).containsExactly(wrap - 2, wrap - 1, wrap);
    assertThat(snapshot.upToModulo(wrap - 2).running()).isEmpty();
  }

  /** Returns a random snapshot with transactions from 60 to 120. */
  private static String random(Random random) {
    TreeSet<Long> running = new TreeSet<>();
    long xmax = 100L + random.nextInt(20);
    for (int i = random.nextInt(60); i > 0; i--) {
      running.add(60 + random.nextLong(xmax - 60));
    }
    long xmin = running.isEmpty() ? xmax : running.first();
    return xmin
        + ":"
        + xmax
        + ":"
        + running.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static String seenByPostgresql(String snapshot) {
    return DATABASE
        .query(
            """
            SELECT coalesce(string_agg(i::text, ',' ORDER BY i), '')
              FROM generate_series(50, 159) i
             WHERE pg_visible_in_snapshot(i::text::xid8, '%s'::pg_snapshot)
            """
                .formatted(snapshot),
            row -> row.getString(1))
        .get(0);
  }
}
