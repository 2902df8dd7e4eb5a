package io.posthorn.postgresql.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.message.Message;
import io.posthorn.core.store.RelayIdentity;
import io.posthorn.core.store.ServedDestination;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlDatabase;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testkit.TestLane;
import io.posthorn.testservers.EmbeddedPostgres;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A thousand transactions stay open. They are prepared ones, which need no connection each. */
class ManyOpenTransactionsTest {
  private static final int OPEN = 1_000;

  @Test
  @Timeout(60)
  void delivery_goes_on_beside_a_thousand_open_transactions() throws Exception {
    try (EmbeddedPostgres postgres =
        EmbeddedPostgres.builder().setting("max_prepared_transactions", "1100").start()) {
      String name = postgres.freshDatabase();
      new Migrations(Tables.DEFAULT).migrate(postgres.dataSource(name));
      try (PostgresqlDatabase database =
              new PostgresqlDatabase(postgres.jdbcUrl(name), Tables.DEFAULT);
          Connection connection = database.dataSource().getConnection()) {
        connection.setAutoCommit(false);
        TestLane lane = lane(database);
        for (int i = 0; i < OPEN; i++) {
          prepare(database, connection, i);
        }
        commit(database, connection, "now");
        assertThat(lane.drain()).containsExactly("now");
        assertThat(lane.state().head()).isNotNull();
        List<String> seen = new ArrayList<>();
        for (int i = OPEN - 1; i >= 0; i--) {
          finish(database, i);
          if (i % 100 == 0) {
            commit(database, connection, "meanwhile " + i);
            seen.addAll(lane.drain(TestLane.atMost(7)));
          }
        }
        assertThat(seen)
            .doesNotHaveDuplicates()
            .hasSize(OPEN / 2 + 10)
            .allMatch(
                content -> content.startsWith("meanwhile") || Integer.parseInt(content) % 2 == 0);
      }
    }
  }

  private static TestLane lane(PostgresqlDatabase database) {
    PostgresqlStore store = PostgresqlStore.on(database.dataSource());
    store.register(
        "many", List.of(new ServedDestination("many", Set.of(ServedDestination.ALL_TYPES))));
    RelayIdentity relay = new RelayIdentity(UUID.randomUUID(), "many", "many");
    store.join(relay, List.of(), Duration.ofHours(1));
    return new TestLane(store, store.take(relay, "many", 0).orElseThrow());
  }

  private static void add(PostgresqlDatabase database, Connection connection, String content) {
    Message message = Message.of("T").json(content.getBytes(StandardCharsets.UTF_8)).build();
    database.store().append(connection, List.of(message), List.of(""), false);
  }

  private static void commit(PostgresqlDatabase database, Connection connection, String content)
      throws SQLException {
    add(database, connection, content);
    connection.commit();
  }

  private static void prepare(PostgresqlDatabase database, Connection connection, int number)
      throws SQLException {
    add(database, connection, String.valueOf(number));
    try (Statement statement = connection.createStatement()) {
      statement.execute("PREPARE TRANSACTION 'open %d'".formatted(number));
    }
  }

  private static void finish(PostgresqlDatabase database, int number) {
    database.execute(
        (number % 2 == 0 ? "COMMIT" : "ROLLBACK") + " PREPARED 'open %d'".formatted(number));
  }
}
