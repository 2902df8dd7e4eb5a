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
