package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.message;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.testkit.TestLane;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Messages and lanes for tests outside the contract. */
public final class TestLanes {
  private final DataSource dataSource;
  private final PostgresqlStore store;

  public TestLanes(PostgresqlDatabase database) {
    this(database.dataSource());
  }

  public TestLanes(DataSource dataSource) {
    this.dataSource = dataSource;
    this.store = PostgresqlStore.on(dataSource);
  }

  public PostgresqlStore store() {
    return store;
  }

  /** Returns the lane of a destination that wants all types. */
  public TestLane take(String destination) {
    store.register(
        "tests", List.of(new ServedDestination(destination, Set.of(ServedDestination.ALL_TYPES))));
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    store.join(relay, List.of(), Duration.ofHours(1));
    return new TestLane(store, store.take(relay, destination, 0).orElseThrow());
  }

  /** Returns all lanes of a destination that wants all types and has this number of lanes. */
  public List<TestLane> takeAll(String destination, int count) {
    store.register(
        "tests", List.of(new ServedDestination(destination, Set.of(ServedDestination.ALL_TYPES))));
    divide(destination, count);
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "tests", "tests");
    store.join(relay, List.of(), Duration.ofHours(1));
    return IntStream.range(0, count)
        .mapToObj(lane -> new TestLane(store, store.take(relay, destination, lane).orElseThrow()))
        .toList();
  }

  /** Divides a destination with one lane that nobody holds. All lanes begin where it stands. */
  private void divide(String destination, int count) {
    Jdbc.execute(
        dataSource,
        """
        UPDATE posthorn_lane
           SET last_bucket = 256 / %2$d - 1
         WHERE destination = '%1$s' AND lane = 0;
        INSERT INTO posthorn_lane (destination, lane, first_bucket, last_bucket)
        SELECT '%1$s', n, n * 256 / %2$d, (n + 1) * 256 / %2$d - 1
          FROM generate_series(1, %2$d - 1) AS n;
        INSERT INTO posthorn_progress (destination, lane, id, s1, low1, last_seq)
        SELECT p.destination, n, gen_random_uuid(), p.s1, p.low1, 0
          FROM (SELECT destination, s1, low1
                  FROM posthorn_progress
                 WHERE destination = '%1$s'
                 ORDER BY n DESC
                 LIMIT 1) p
         CROSS JOIN generate_series(1, %2$d - 1) AS n
        """
            .formatted(destination, count));
  }

  public void commit(String... contents) {
    add(Arrays.stream(contents).map(c -> message(c)).toArray(Message[]::new));
  }

  public void add(Message... messages) {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.append(
          connection, Arrays.asList(messages), Collections.nCopies(messages.length, ""), false);
      connection.commit();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }
}
