package io.posthorn.console;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.operate.audit.Actor;
import io.posthorn.core.operate.steering.Steering;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.relay.Destination;
import io.posthorn.core.relay.Relay;
import io.posthorn.core.relay.RelayConfig;
import io.posthorn.core.relay.RetryPolicy;
import io.posthorn.core.store.AfterDead;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.testservers.EmbeddedPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import javax.sql.DataSource;

/** A shop with a real database and a real relay, whose receivers do as they are told. */
final class Shop implements AutoCloseable {
  static final Actor ANA = new Actor("ana", "the index is rebuilt, ticket 1187");

  private static final List<String> DESTINATIONS =
      List.of("billing", "mail", "search", "warehouse", "partner", "loyalty");

  private final DataSource dataSource;
  private final PostgresqlStore store;
  private final Outbox outbox;
  private final Map<String, Function<Message, Outcome>> receivers = new ConcurrentHashMap<>();
  private final List<UUID> written = new ArrayList<>();
  private final Relay relay;

  private Shop(DataSource dataSource) {
    this.dataSource = dataSource;
    this.store = PostgresqlStore.on(dataSource);
    store.migrate();
    this.outbox =
        Outbox.on(
                store,
                MessageTypes.named(
                    "OrderPlaced",
                    "OrderPaid",
                    "CartAbandoned",
                    "LoyaltyPointsEarned",
                    "LoyaltyCardIssued",
                    "Hostile"))
            .build();
    DESTINATIONS.forEach(name -> receivers.put(name, message -> Outcome.SENT));
    Relay.Builder builder =
        Relay.on(store, "shop", "test").name("shop-1").config(RelayConfig.DEFAULT);
    for (String name : DESTINATIONS) {
      builder.destination(
          Destination.named(name, receiver(name))
              .allTypes()
              .sendTimeout(Duration.ofSeconds(5))
              .retry(
                  new RetryPolicy(
                      Duration.ofSeconds(30), Duration.ofMinutes(5), 0, 10, Duration.ofHours(24)))
              .retry(
                  "CartAbandoned",
                  new RetryPolicy(
                      Duration.ofMillis(50), Duration.ofMillis(50), 0, 3, Duration.ofHours(24)))
              .afterDead("LoyaltyPointsEarned", AfterDead.HOLD)
              .build());
    }
    this.relay = builder.build().start();
  }

  /** An empty shop in a fresh database of the shared server. */
  static Shop open() {
    EmbeddedPostgres server = EmbeddedPostgres.shared();
    return new Shop(server.dataSource(server.freshDatabase()));
  }

  PostgresqlStore store() {
    return store;
  }

  DataSource dataSource() {
    return dataSource;
  }

  List<UUID> written() {
    return written;
  }

  private Connector receiver(String name) {
    return new Connector() {
      @Override
      public void send(List<Message> messages, Answers answers) {
        for (int i = 0; i < messages.size(); i++) {
          Function<Message, Outcome> receiver = receivers.getOrDefault(name, one -> Outcome.SENT);
          answers.answer(i, receiver.apply(messages.get(i)));
        }
      }

      @Override
      public boolean serves(String type) {
        return true;
      }

      @Override
      public void close() {}
    };
  }

  /** What a receiver does from now on. */
  void receiver(String name, Function<Message, Outcome> does) {
    receivers.put(name, does);
  }

  void isDown(String name) {
    receiver(
        name,
        one ->
            Outcome.unavailable(
                Reason.of(
                    "HTTP_503", "POST https://billing.internal/events: 503 Service Unavailable")));
  }

  void works(String name) {
    receiver(name, one -> Outcome.SENT);
  }

  /** Writes a message in a transaction of its own. */
  UUID write(String type, String aggregate, String id, String json, String... headers) {
    return write(type, aggregate, id, json.getBytes(UTF_8), headers);
  }

  UUID write(String type, String aggregate, String id, byte[] json, String... headers) {
    Message.Builder message = Message.of(type).key(aggregate, id).json(json);
    for (int i = 0; i < headers.length; i += 2) {
      message.header(headers[i], headers[i + 1]);
    }
    Message built = message.build();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      outbox.add(connection, built);
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    written.add(built.id());
    return built.id();
  }

  void sql(String sql) {
    try (Connection connection = dataSource.getConnection();
        var statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  Steering steering() {
    return Steering.on(store);
  }

  @Override
  public void close() {
    relay.close();
  }
}
