package io.posthorn.postgresql;

import static io.posthorn.testkit.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.postgresql.sql.Database;
import io.posthorn.postgresql.sql.Query;
import io.posthorn.postgresql.sql.Sql;
import io.posthorn.postgresql.sql.TableNames;
import io.posthorn.testkit.Around;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections that go dead silently, for which the driver itself would wait forever. */
class SilentConnectionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final Sql SLEEP = Sql.of("sleep", "SELECT pg_sleep(60)");

  private static final String SLEEPING =
      """
      SELECT count(*)
        FROM pg_stat_activity
       WHERE datname = current_database()
         AND wait_event = 'PgSleep'
      """;

  private final PostgresqlDatabase database = TestServer.newest().databaseOfItsOwn();
  private final FaultProxy proxy = FaultProxy.to(TestServer.newest().postgres().port());
  private final HikariDataSource pool = pool();
  private final TestLanes lanes = new TestLanes(database);
  private final FakeConnector shop = FakeConnector.acking();

  private HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(EmbeddedPostgres.jdbcUrl(proxy.port(), database.name()));
    config.setConnectionTimeout(PATIENCE.toMillis());
    return new HikariDataSource(config);
  }

  @AfterEach
  void close() {
    proxy.close();
    pool.close();
    database.discard();
  }

  @Test
  void a_relay_all_of_whose_connections_went_silent_goes_on_with_others() {
    PostgresqlStore store = new PostgresqlStore(pool, Tables.DEFAULT, PATIENCE);
    // Polls so often that the pool never checks whether a connection is alive.
    RelayConfig quick =
        RelayConfig.builder().poll(Duration.ofMillis(2), Duration.ofMillis(50)).build();
    Relay relay =
        Relay.on(store, "tests", "test")
            .config(quick)
            .destination(Destination.named("shop", shop).allTypes().build())
            .build()
            .start();
    lanes.add(message("before"));
    await().until(() -> shop.received().size() == 1);
    proxy.drop();
    lanes.add(message("meanwhile"));
    await()
        .during(Duration.ofMillis(300))
        .until(() -> pool.getHikariPoolMXBean().getActiveConnections() > 0);
    proxy.pass();
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(shop.received().stream().map(TestMessages::content))
                    .containsExactly("before", "meanwhile"));
    relay.close();
  }

  @Test
  void the_next_user_of_the_connection_may_wait_as_long_as_before() throws SQLException {
    try (Connection only = database.dataSource().getConnection()) {
      Database asking =
          new Database(of(only), TableNames.DEFAULT).answeringWithin(Duration.ofMinutes(1));
      asking.read("asking", Sql.of("ask", "SELECT 1"), Query::any);
      assertThat(only.getNetworkTimeout()).isZero();
      Refused.with(
          ErrorCode.STORE_REFUSED,
          () -> asking.read("asking", Sql.of("divide", "SELECT 1 / 0"), Query::any));
      assertThat(only.getNetworkTimeout()).isZero();
    }
  }

  @Test
  void the_server_gives_up_what_takes_too_long_before_the_client_does() throws SQLException {
    Database asking =
        new Database(database.dataSource(), TableNames.DEFAULT)
            .answeringWithin(Duration.ofSeconds(4));
    Refused.with(ErrorCode.STORE_FAILED, () -> asking.read("sleeping", SLEEP, Query::any))
        .hasMessageContaining("57014");
    try (Connection only = database.dataSource().getConnection()) {
      Database shorter =
          new Database(of(only), TableNames.DEFAULT).answeringWithin(Duration.ofMinutes(1));
      execute(only, "SET statement_timeout = '100ms'");
      Refused.with(ErrorCode.STORE_FAILED, () -> inTransaction(shorter, SLEEP))
          .hasMessageContaining("57014");
      execute(only, "RESET statement_timeout");
    }
    assertThat(Jdbc.number(database.dataSource(), SLEEPING)).isZero();
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static boolean inTransaction(Database database, Sql sql) {
    return database.transaction(
        "asking",
        tx -> {
          try (Query query = tx.query(sql)) {
            return query.any();
          }
        });
  }

  /** A pool that checks nothing. */
  private DataSource of(Connection only) {
    Connection pooled =
        Around.calls(
            Connection.class, only, (name, call) -> name.equals("close") ? null : call.proceed());
    return Around.calls(
        DataSource.class,
        database.dataSource(),
        (name, call) -> name.equals("getConnection") ? pooled : call.proceed());
  }
}
