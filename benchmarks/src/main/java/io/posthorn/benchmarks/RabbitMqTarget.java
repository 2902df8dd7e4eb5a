package io.posthorn.benchmarks;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Envelope;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.Transport;
import io.posthorn.rabbitmq.Credentials;
import io.posthorn.rabbitmq.RabbitMqConfig;
import io.posthorn.rabbitmq.RabbitMqConnector;
import io.posthorn.testservers.EmbeddedRabbitMq;
import java.io.IOException;
import java.util.Date;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;

/** A RabbitMQ broker with one durable queue that keeps the newest 1,000 persistent messages. */
final class RabbitMqTarget implements Target {
  private static final String QUEUE = "bench";
  private static final EnvelopeFormat ENVELOPE = EnvelopeFormat.cloudEvents("/bench");

  private final EmbeddedRabbitMq rabbit = EmbeddedRabbitMq.builder().start();

  RabbitMqTarget() {
    try (Connection connection = connect();
        Channel channel = connection.createChannel()) {
      channel.queueDeclare(QUEUE, true, false, false, Map.of("x-max-length", 1_000));
    } catch (IOException | TimeoutException e) {
      throw new BenchException("the queue was not declared", e);
    }
  }

  private Connection connect() throws IOException, TimeoutException {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setHost("127.0.0.1");
    factory.setPort(rabbit.port());
    return factory.newConnection();
  }

  @Override
  public Connector connector() {
    return new RabbitMqConnector(
        RabbitMqConfig.to("127.0.0.1:" + rabbit.port(), ENVELOPE)
            .unencrypted()
            .credentials(() -> new Credentials("guest", "guest"))
            .routingKey(QUEUE)
            .build());
  }

  @Override
  public Client client() {
    try {
      return new Plain(connect());
    } catch (IOException | TimeoutException e) {
      throw new BenchException("the client did not connect", e);
    }
  }

  @Override
  public void close() {
    rabbit.close();
  }

  private static final class Plain implements Client {
    private final Connection connection;
    private final Channel channel;
    private final ConcurrentNavigableMap<Long, Runnable> unconfirmed =
        new ConcurrentSkipListMap<>();

    Plain(Connection connection) throws IOException {
      this.connection = connection;
      this.channel = connection.createChannel();
      channel.addConfirmListener(this::confirmed, (number, all) -> {});
      channel.confirmSelect();
    }

    private void confirmed(long number, boolean all) {
      ConcurrentNavigableMap<Long, Runnable> these =
          all ? unconfirmed.headMap(number, true) : unconfirmed.subMap(number, true, number, true);
      these.values().forEach(Runnable::run);
      these.clear();
    }

    @Override
    public void send(Message message, Runnable acknowledged) {
      Envelope envelope = ENVELOPE.envelop(message, Transport.AMQP);
      AMQP.BasicProperties properties =
          new AMQP.BasicProperties.Builder()
              .messageId(message.id().toString())
              .type(message.type())
              .timestamp(Date.from(message.occurredAt()))
              .contentType(envelope.contentType())
              .headers(new HashMap<>(envelope.headers()))
              .deliveryMode(2)
              .build();
      unconfirmed.put(channel.getNextPublishSeqNo(), acknowledged);
      try {
        channel.basicPublish("", QUEUE, true, properties, envelope.body());
      } catch (IOException e) {
        throw new BenchException("the client did not publish", e);
      }
    }

    @Override
    public void close() {
      connection.abort();
    }
  }
}
