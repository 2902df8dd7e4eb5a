package io.posthorn.crashtests;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaConnector;
import io.posthorn.kafka.KafkaSource;
import io.posthorn.kafka.KafkaSourceConfig;
import io.posthorn.rabbitmq.Credentials;
import io.posthorn.rabbitmq.RabbitMqConfig;
import io.posthorn.rabbitmq.RabbitMqConnector;
import io.posthorn.rabbitmq.RabbitMqSource;
import io.posthorn.rabbitmq.RabbitMqSourceConfig;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.EmbeddedRabbitMq;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeoutException;

/** A broker of the kind that services use, with one address that keeps the order of keys. */
final class RealBroker implements AutoCloseable {
  /** Which one. */
  enum Kind {
    KAFKA,
    RABBITMQ
  }

  private static final String ADDRESS = "changes";
  private static final EnvelopeFormat ENVELOPE = EnvelopeFormat.cloudEvents("/books");

  private final Kind kind;
  private final String servers;
  private final AutoCloseable server;

  private RealBroker(Kind kind, String servers, AutoCloseable server) {
    this.kind = kind;
    this.servers = servers;
    this.server = server;
  }

  static RealBroker start(Kind kind) {
    if (kind == Kind.KAFKA) {
      EmbeddedKafka kafka = EmbeddedKafka.builder().start();
      return new RealBroker(kind, kafka.bootstrapServers(), kafka);
    }
    EmbeddedRabbitMq rabbit = EmbeddedRabbitMq.builder().setting("heartbeat", "3").start();
    declareQueue(rabbit.port());
    return new RealBroker(kind, "127.0.0.1:" + rabbit.port(), rabbit);
  }

  /** With several consumers, a queue keeps the order of keys only if one of them is active. */
  private static void declareQueue(int port) {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(port);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(ADDRESS, true, false, false, Map.of("x-single-active-consumer", true));
    } catch (IOException | TimeoutException e) {
      throw new IllegalStateException("the queue was not declared", e);
    }
  }

  Connector sender() {
    if (kind == Kind.KAFKA) {
      return new KafkaConnector(
          KafkaConfig.to(servers, ADDRESS, ENVELOPE).createTopic(4, 1).build());
    }
    return new RabbitMqConnector(
        RabbitMqConfig.to(servers, ENVELOPE)
            .unencrypted()
            .credentials(() -> new Credentials("guest", "guest"))
            .routingKey(ADDRESS)
            .build());
  }

  /** For a receiver in another process; see {@link #source}. */
  String text() {
    return kind + " " + servers;
  }

  static Source source(String text) {
    String[] words = text.split(" ");
    EnvelopeReader reader = EnvelopeReader.cloudEvents();
    if (Kind.valueOf(words[0]) == Kind.KAFKA) {
      return new KafkaSource(
          KafkaSourceConfig.from(words[1], reader, ADDRESS)
              .client("session.timeout.ms", "3000")
              .client("heartbeat.interval.ms", "500")
              .build());
    }
    return new RabbitMqSource(
        RabbitMqSourceConfig.from(words[1], ADDRESS, reader)
            .unencrypted()
            .credentials(() -> new Credentials("guest", "guest"))
            .build());
  }

  @Override
  public void close() throws Exception {
    server.close();
  }
}
