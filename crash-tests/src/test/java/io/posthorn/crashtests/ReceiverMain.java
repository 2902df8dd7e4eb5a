package io.posthorn.crashtests;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.bus.Bus;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.bus.Mode;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.source.Source;
import io.posthorn.postgresql.PostgresqlStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.sql.PreparedStatement;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A program that receives, in a process of its own. Its handler writes one row for each message,
 * and fails at the first attempt of some. Takes orders for its {@link CrashPlan} from its standard
 * input.
 */
final class ReceiverMain {
  static final String URL = "receiver.url";
  static final String MODE = "receiver.mode";
  static final String CONSUMER = "books";

  /** A {@link RealBroker} by its text; none = a {@link TableBroker}. */
  static final String BROKER = "receiver.broker";

  private ReceiverMain() {}

  public static void main(String[] arguments) throws IOException {
    CrashPlan plan = new CrashPlan();
    Mode mode = Mode.valueOf(System.getProperty(MODE));
    Call call = mode == Mode.DIRECT ? Call.RECEIVE : Call.STORE;
    HikariDataSource pool = pool();
    DataSource planned = PlannedDataSource.of(pool, plan);
    // The relay's own statements are no moments of this test.
    PostgresqlStore store = PostgresqlStore.on(pool);
    MessageTypes types = MessageTypes.named("Changed");
    Bus bus =
        Bus.on(store, planned, Outbox.on(store, types).build(), types)
            .source(new PlannedSource(source(pool), plan, call))
            .relay(
                Relay.on(store, "receiver", "test")
                    .config(
                        RelayConfig.builder()
                            .lease(Duration.ofSeconds(3))
                            .settleTimeout(Duration.ofMillis(500))
                            .build()))
            .build();
    bus.subscribe(CONSUMER)
        .on("Changed", (message, handling) -> handle(message, handling, plan))
        .mode(mode)
        .batch(10)
        .timeout(Duration.ofSeconds(1))
        .retry(
            RetryPolicy.DEFAULT
                .backoff(Duration.ofMillis(20), Duration.ofMillis(100))
                .attempts(1_000));
    bus.start();
    Runtime.getRuntime().addShutdownHook(new Thread(bus::close));
    System.out.println(RelayMain.READY);
    BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line = orders.readLine(); line != null; line = orders.readLine()) {
      plan.arm(line);
    }
  }

  private static Source source(DataSource dataSource) {
    String broker = System.getProperty(BROKER, "");
    return broker.isEmpty() ? new TableSource(dataSource) : RealBroker.source(broker);
  }

  private static void handle(Message message, Handling handling, CrashPlan plan) throws Exception {
    if (Call.current() == null) {
      Call.HAND_OVER.begin();
    }
    String[] words = new String(message.payload(), UTF_8).split(":");
    try (PreparedStatement insert =
        handling.connection().prepareStatement("INSERT INTO effect (name, n) VALUES (?, ?)")) {
      insert.setString(1, words[0]);
      insert.setLong(2, Long.parseLong(words[1]));
      insert.executeUpdate();
    }
    plan.reached("in handler");
    if (handling.attempt() == 1 && Long.parseLong(words[1]) % 15 == 7) {
      throw new IllegalStateException("as if: parked, and handled by the next attempt");
    }
  }

  private static HikariDataSource pool() {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(System.getProperty(URL));
    pool.setMaximumPoolSize(8);
    pool.setMinimumIdle(1);
    pool.setConnectionTimeout(3_000);
    pool.setValidationTimeout(500);
    return new HikariDataSource(pool);
  }
}
