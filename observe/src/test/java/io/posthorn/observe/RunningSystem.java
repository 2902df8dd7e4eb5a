package io.posthorn.observe;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.core.store.Start;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testkit.FakeConnector;
import io.posthorn.testkit.MemorySource;
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
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A database with relays, and each relay's metrics behind its own HTTP endpoint. */
final class RunningSystem implements AutoCloseable {
  static final String MAIL = "mail";
  static final String BOOKS = "books";
  static final Duration EVERY = Duration.ofMillis(200);

  /** One program: a relay, its metrics and its endpoint. */
  record Program(
      PrometheusMeterRegistry registry, OutboxMetrics metrics, Relay relay, HttpServer http)
      implements AutoCloseable {
    int port() {
      return http.getAddress().getPort();
    }

    String scrape() {
      return registry.scrape();
    }

    /** Returns the sum of all series with this name and these labels; −1 if there are none. */
    double value(String name, String... labels) {
      double sum = 0;
      boolean found = false;
      Matcher line = Pattern.compile("(?m)^" + name + "(\\{.*\\})? (\\S+)$").matcher(scrape());
      while (line.find()) {
        String its = String.valueOf(line.group(1));
        boolean all = true;
        for (int i = 0; i < labels.length; i += 2) {
          all &= its.contains(labels[i] + "=\"" + labels[i + 1] + "\"");
        }
        if (all) {
          sum += Double.parseDouble(line.group(2));
          found = true;
        }
      }
      return found ? sum : -1;
    }

    void eventually(double value, String name, String... labels) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() -> assertThat(value(name, labels)).as(name).isEqualTo(value));
    }

    void eventuallyAtLeast(double value, String name, String... labels) {
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () -> assertThat(value(name, labels)).as(name).isGreaterThanOrEqualTo(value));
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
  private final List<Bus> buses = new ArrayList<>();

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

  /** Starts a program that routes only these types; messages without a route soon die. */
  Program start(Set<String> types) {
    return start(100, types);
  }

  Program start(int mostTypes) {
    return start(mostTypes, Set.of());
  }

  private Program start(int mostTypes, Set<String> types) {
    Destination.Builder destination = Destination.named(MAIL, mail);
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
                    .noRouteGrace(Duration.ofMillis(100))
                    .build())
            .destination(
                (types.isEmpty()
                        ? destination.allTypes()
                        : destination.types(types.toArray(String[]::new)))
                    .sendTimeout(Duration.ofSeconds(2))
                    .afterDead("Poison", AfterDead.HOLD)
                    .retry(
                        RetryPolicy.DEFAULT
                            .backoff(Duration.ofMillis(50), Duration.ofMillis(200))
                            .attempts(3))
                    .build())
            .build()
            .start();
    Program program = new Program(registry, metrics, relay, serve(registry));
    programs.add(program);
    return program;
  }

  /**
   * Starts a consumer in this program, with its own source. It handles only the newest message of
   * each key, and fails as long as the message's type is Poison.
   */
  Bus consumer(Program program, MemorySource source) {
    return consumer(program, bus -> bus.source(source));
  }

  /** Starts the same consumer for messages from the log of this database. */
  Bus consumerOfTheLog(Program program) {
    return consumer(program, bus -> bus);
  }

  private Bus consumer(Program program, UnaryOperator<Bus.Builder> from) {
    MessageTypes types = MessageTypes.of(MessageType.named("Changed"), MessageType.named("Poison"));
    Bus bus =
        from.apply(Bus.on(store, pool, Outbox.on(store, types).build(), types))
            .observer(program.metrics.inbox())
            .relay(Relay.on(PostgresqlStore.on(pool), "tests", "test").observer(program.metrics))
            .build();
    bus.subscribe(BOOKS)
        .on("Changed", (message, handling) -> {})
        .on(
            "Poison",
            (message, handling) -> {
              throw new IllegalStateException("poison");
            })
        .tries(1)
        .startAt(Start.EARLIEST)
        .latestWins();
    buses.add(bus);
    return bus.start();
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
    buses.forEach(Bus::close);
    programs.forEach(Program::close);
    pool.close();
  }
}
