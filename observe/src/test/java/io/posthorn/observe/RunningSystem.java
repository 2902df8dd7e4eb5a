package io.posthorn.observe;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testservers.EmbeddedPostgres;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A database with relays, and the metrics of each behind an HTTP endpoint of its own. */
final class RunningSystem implements AutoCloseable {
  static final String MAIL = "mail";
  static final Duration EVERY = Duration.ofMillis(200);

  /** One program: a relay, its metrics, its endpoint. */
  record Program(
      PrometheusMeterRegistry registry, OutboxMetrics metrics, Relay relay, HttpServer http)
      implements AutoCloseable {
    int port() {
      return http.getAddress().getPort();
    }

    String scrape() {
      return registry.scrape();
    }

    @Override
    public void close() {
      relay.close();
      metrics.close();
      http.stop(0);
    }
  }

  final FakeConnector mail = FakeConnector.acking();
  private final HikariDataSource pool;
  private final PostgresqlStore store;
  private final List<Program> programs = new ArrayList<>();

  RunningSystem() {
    EmbeddedPostgres postgres = EmbeddedPostgres.shared();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
    this.pool = new HikariDataSource(config);
    new Migrations(Tables.DEFAULT).migrate(pool);
    this.store = PostgresqlStore.on(pool);
  }

  PostgresqlStore store() {
    return store;
  }

  Program start() {
    return start(100);
  }

  Program start(int mostTypes) {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    OutboxMetrics metrics =
        OutboxMetrics.on(registry).database(store).every(EVERY).mostTypes(mostTypes).build();
    Relay relay =
        Relay.on(PostgresqlStore.on(pool), "tests", "test")
            .name("relay-" + programs.size())
            .observer(metrics)
            .config(
                RelayConfig.builder()
                    .lease(Duration.ofSeconds(10))
                    .settleTimeout(Duration.ofSeconds(2))
                    .poll(Duration.ofMillis(5), Duration.ofMillis(100))
                    .build())
            .destination(
                Destination.named(MAIL, mail)
                    .allTypes()
                    .sendTimeout(Duration.ofSeconds(2))
                    .afterDead("Poison", AfterDead.HOLD)
                    .retry(
                        RetryPolicy.DEFAULT
                            .backoff(Duration.ofMillis(50), Duration.ofMillis(200))
                            .maxAttempts(3))
                    .build())
            .build()
            .start();
    Program program = new Program(registry, metrics, relay, serve(registry));
    programs.add(program);
    return program;
  }

  private static HttpServer serve(PrometheusMeterRegistry registry) {
    try {
      HttpServer http =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      http.createContext(
          "/metrics",
          exchange -> {
            byte[] body = registry.scrape().getBytes(UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "text/plain; version=0.0.4");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
          });
      http.start();
      return http;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  void add(String type, String key) {
    execute(
        "SELECT posthorn_add('%s', convert_to('{}', 'UTF8'), 'Order', '%s')".formatted(type, key));
  }

  void execute(String sql) {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void close() {
    programs.forEach(Program::close);
    pool.close();
  }
}
