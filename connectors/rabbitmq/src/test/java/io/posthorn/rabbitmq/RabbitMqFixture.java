package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.core.store.Store;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.postgresql.Migrations;
import io.posthorn.postgresql.PostgresqlStore;
import io.posthorn.postgresql.Tables;
import io.posthorn.testkit.ConnectorFixture;
import io.posthorn.testkit.TestMessages;
import io.posthorn.testservers.EmbeddedPostgres;
import io.posthorn.testservers.EmbeddedRabbitMq;
import io.posthorn.testservers.FaultProxy;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** A fixed exchange and routing key with one queue, behind a proxy. */
final class RabbitMqFixture implements ConnectorFixture {
  static final String KEY = "things";
  private static final int LARGEST = 1 << 20;

  final EmbeddedRabbitMq server = Broker.shared().server;
  final Topology topology = new Topology(server.port());
  final FaultProxy proxy = FaultProxy.to(server.port());
  volatile Credentials credentials = new Credentials("guest", "guest");
  private HikariDataSource dataSource;

  RabbitMqFixture() {
    topology.bind(KEY);
  }

  @Override
  public String name() {
    return "rabbitmq";
  }

  /** Returns nothing: brokers do not inspect messages, so they refuse none for its content. */
  @Override
  public Set<Ability> can() {
    return EnumSet.complementOf(EnumSet.of(Ability.REFUSE, Ability.FAIL_SOME));
  }

  /** A configuration with short timeouts. */
  RabbitMqConfig.Builder config() {
    return config(EnvelopeFormat.cloudEvents("/tests"));
  }

  RabbitMqConfig.Builder config(EnvelopeFormat envelope) {
    return RabbitMqConfig.to("127.0.0.1:" + proxy.port(), envelope)
        .unencrypted()
        .credentials(() -> credentials)
        .exchange(topology.exchange)
        .routingKey(KEY)
        .timeout(Duration.ofSeconds(2))
        .connectTimeout(Duration.ofSeconds(1))
        .maxMessageSize(LARGEST);
  }

  @Override
  public Connector connector() {
    return new RabbitMqConnector(config().build());
  }

  @Override
  public Duration sendTimeout() {
    return Duration.ofSeconds(3);
  }

  @Override
  public List<Message> arrived() {
    return topology.arrived().stream().map(RabbitMqFixture::message).toList();
  }

  private static Message message(GetResponse response) {
    AMQP.BasicProperties properties = response.getProps();
    Map<String, String> headers =
        properties.getHeaders().entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().toString()));
    Map<String, String> own = new HashMap<>(headers);
    own.keySet().removeIf(name -> name.startsWith("cloudEvents"));
    String subject = headers.get("cloudEvents_subject");
    return new Message(
        UUID.fromString(headers.get("cloudEvents_id")),
        false,
        headers.get("cloudEvents_type"),
        Integer.parseInt(headers.get("cloudEvents_schemaversion")),
        subject == null ? null : Key.of(headers.get("cloudEvents_aggregatetype"), subject),
        response.getBody(),
        properties.getContentType(),
        own,
        Instant.parse(headers.get("cloudEvents_time")),
        null);
  }

  @Override
  public void stop() {
    server.kill();
  }

  @Override
  public void start() {
    server.start();
    topology.declare();
    topology.bind(KEY);
  }

  @Override
  public void freeze() {
    server.freeze();
  }

  @Override
  public void thaw() {
    server.thaw();
  }

  @Override
  public void cut() {
    proxy.reset();
    proxy.pass();
  }

  @Override
  public void removeAddress() {
    topology.unbind(KEY);
  }

  @Override
  public void restoreAddress() {
    topology.bind(KEY);
  }

  @Override
  public Message tooLarge() {
    return TestMessages.sized(LARGEST + 1);
  }

  @Override
  public synchronized DataSource dataSource() {
    if (dataSource == null) {
      EmbeddedPostgres postgres = EmbeddedPostgres.shared();
      HikariConfig config = new HikariConfig();
      config.setJdbcUrl(postgres.jdbcUrl(postgres.freshDatabase()));
      dataSource = new HikariDataSource(config);
      new Migrations(Tables.DEFAULT).migrate(dataSource);
    }
    return dataSource;
  }

  @Override
  public Store store() {
    return PostgresqlStore.on(dataSource());
  }

  @Override
  public void close() {
    proxy.close();
    if (server.isRunning()) {
      server.thaw();
    } else {
      server.start();
    }
    topology.close();
    if (dataSource != null) {
      dataSource.close();
    }
  }
}
