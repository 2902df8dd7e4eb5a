package io.posthorn.postgresql.parked;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.TestServer;
import io.posthorn.postgresql.lane.Progress;
import io.posthorn.postgresql.lane.Window;
import io.posthorn.postgresql.log.RandomHistory;
import io.posthorn.postgresql.log.RandomHistory.Look;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.TableNames;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A message parked outside the log waits exactly for the earlier messages that its lane has not
 * settled.
 */
class UnreadBeforeTest {
  private record Parked(UUID id, String key, long position) {}

  private final PostgresqlDatabase postgresql = TestServer.newest().databaseOfItsOwn();
  private final Database database = new Database(postgresql.dataSource(), TableNames.DEFAULT);

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void a_message_beside_the_log_waits_for_every_older_one_of_its_key_that_is_not_settled(
      boolean indexed) throws Exception {
    if (!indexed) {
      postgresql.execute("DROP INDEX posthorn_log_key_seq_idx");
    }
    long seed = Long.getLong("posthorn.seed", ThreadLocalRandom.current().nextInt(1_000_000));
    Random random = new Random(seed);
    RandomHistory history = new RandomHistory(postgresql, database, random);
    List<Look> looks = history.play(soFar -> {});
    Map<UUID, Parked> parked = park(history, looks.get(looks.size() - 1).high());
    for (int i = 0; i < looks.size(); i++) {
      for (int j = i + 1; j < looks.size(); j += 1 + random.nextInt(5)) {
        Look first = looks.get(i);
        Look second = looks.get(j);
        Window window =
            new Window(
                first.snapshot(), first.low(), second.snapshot(), second.low(), second.high());
        List<Long> inWindow = inWindow(window);
        if (inWindow.isEmpty()) {
          continue;
        }
        // Near the end of the window, numbers of transactions outside the window are mixed with its
        // own.
        long last =
            inWindow.get(inWindow.size() - 1 - random.nextInt(Math.min(3, inWindow.size())));
        List<Long> ahead =
            inWindow.stream().filter(seq -> seq > last && random.nextInt(4) == 0).toList();
        assertThat(found(history, window, last, ahead, parked.keySet()))
            .as("seed %d, window %d to %d, settled up to %d and %s", seed, i, j, last, ahead)
            .isEqualTo(expected(window, last, ahead, parked));
      }
    }
    postgresql.discard();
  }

  /**
   * One of each key at each position: the one right behind an unread message shows whether that
   * message is found, and not only a later one of its key.
   */
  private Map<UUID, Parked> park(RandomHistory history, long high) {
    for (String key : history.keys()) {
      postgresql.execute(
          """
          INSERT INTO posthorn_parked
                 (destination, message_id, type, schema_version, aggregate_type, key, payload, content_type,
                  headers, occurred_at, recorded_at, seq, position, waiting, next_attempt_at, beside)
          SELECT '%s', gen_random_uuid(), 'T', 1, 'order', '%s', '', 'application/json',
                 '{}', now(), now(), n, n, 'TURN', now(), true
            FROM generate_series(1, %d) n
          """
              .formatted(RandomHistory.DESTINATION, key, high + 1));
    }
    return postgresql
        .query(
            "SELECT message_id, key, position FROM posthorn_parked",
            row -> new Parked(row.getObject(1, UUID.class), row.getString(2), row.getLong(3)))
        .stream()
        .collect(Collectors.toMap(Parked::id, one -> one));
  }

  private Set<UUID> found(
      RandomHistory history, Window window, long last, List<Long> ahead, Set<UUID> ids) {
    return database.transaction(
        "looking for unread ones",
        tx -> {
          Progress.open(tx, history.lane(), UUID.randomUUID(), window, last, ahead);
          return UnreadBefore.among(tx, history.lane(), ids);
        });
  }

  /** All transactions have ended, so everything that no snapshot sees is still unread. */
  private Set<UUID> expected(Window window, long last, List<Long> ahead, Map<UUID, Parked> parked)
      throws SQLException {
    Map<String, Long> oldest = new HashMap<>();
    for (String unread : unread(window, last, ahead)) {
      String[] parts = unread.split(":");
      oldest.merge(parts[0], Long.parseLong(parts[1]), Math::min);
    }
    Set<UUID> waits = new HashSet<>();
    for (Parked one : parked.values()) {
      if (oldest.getOrDefault(one.key, Long.MAX_VALUE) < one.position) {
        waits.add(one.id);
      }
    }
    return waits;
  }

  private List<String> unread(Window window, long last, List<Long> ahead) {
    List<Long> some = new ArrayList<>(ahead);
    some.add(-1L);
    return postgresql.query(
        """
        SELECT key || ':' || seq
          FROM posthorn_log
         WHERE NOT pg_visible_in_snapshot(tx, '%s'::pg_snapshot)
           AND NOT (pg_visible_in_snapshot(tx, '%s'::pg_snapshot)
                    AND (seq <= %d OR seq = ANY ('{%s}')))
        """
            .formatted(
                window.s1(),
                window.s2(),
                last,
                String.join(",", some.stream().map(String::valueOf).toList())),
        row -> row.getString(1));
  }

  private List<Long> inWindow(Window window) {
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
}
