package io.posthorn.sight;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** A database with an outbox of any type, and what relays on it have in common. */
final class Site implements AutoCloseable {
  final String url;
  final HikariDataSource pool;
  final PostgresqlStore store;
  final Outbox outbox;

  /** More settings of the connection, for example {@code &password=x}, which nobody asks for. */
  Site(String settings, String... types) {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    this.url = postgres.jdbcUrl(postgres.freshDatabase()) + settings;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    this.pool = new HikariDataSource(config);
    new Migrations(Tables.DEFAULT).migrate(pool);
    this.store = PostgresqlStore.on(pool);
    this.outbox = Outbox.on(store, MessageTypes.named(types)).build();
  }

  Relay.Builder relay() {
    return Relay.on(store, "shop", "test")
        .name("relay-1")
        .wokenBy(outbox)
        .config(RelayConfig.builder().poll(Duration.ofMillis(5), Duration.ofMillis(100)).build());
  }

  static Destination to(String name, Connector connector, String type) {
    return Destination.named(name, connector)
        .types(type)
        .sendTimeout(Duration.ofSeconds(5))
        .retry(
            RetryPolicy.DEFAULT.backoff(Duration.ofMillis(20), Duration.ofMillis(50)).attempts(3))
        .build();
  }

  void add(Message... messages) {
    try (Connection tx = pool.getConnection()) {
      tx.setAutoCommit(false);
      outbox.add(tx, List.of(messages));
      tx.commit();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
    outbox.wake();
  }

  @Override
  public void close() {
    pool.close();
  }
}
