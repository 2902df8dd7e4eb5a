package io.posthorn.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.MessageProperties;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.testkit.SourceFixture;
import io.posthorn.testservers.EmbeddedRabbitMq;
import io.posthorn.testservers.FaultProxy;
import io.posthorn.testservers.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeoutException;

/** A queue; tests receive through a proxy and send directly. */
final class RabbitMqSourceFixture implements SourceFixture {
  private static final String KEY = "things";

  final EmbeddedRabbitMq server = Broker.shared().server;
  final Topology topology = new Topology(server.port());
  final FaultProxy proxy = FaultProxy.to(server.port());

  RabbitMqSourceFixture() {
    topology.bind(KEY);
  }

  @Override
  public String name() {
    return "rabbitmq";
  }

  @Override
  public Set<Ability> can() {
    return Set.of(Ability.values());
  }

  static RabbitMqSourceConfig.Builder config(int port, String queue) {
    return RabbitMqSourceConfig.from("127.0.0.1:" + port, queue, EnvelopeReader.cloudEvents())
        .unencrypted()
        .credentials(() -> new Credentials("guest", "guest"))
        .connectTimeout(Duration.ofSeconds(2));
  }

  @Override
  public Source source() {
    return new RabbitMqSource(config(proxy.port(), topology.queue).build());
  }

  @Override
  public void send(List<Message> messages) {
    RabbitMqConfig to =
        RabbitMqConfig.to("127.0.0.1:" + server.port(), EnvelopeFormat.cloudEvents(SENDER))
            .unencrypted()
            .credentials(() -> new Credentials("guest", "guest"))
            .exchange(topology.exchange)
            .routingKey(KEY)
            .build();
    Parcels parcels = new Parcels(to, new BrokerState(to));
    publish(messages.stream().map(parcels::of).toList());
  }

  @Override
  public void sendRaw(byte[] body, Map<String, String> headers) {
    Map<String, Object> own = new HashMap<>(headers);
    Object contentType = own.remove("content-type");
    publish(
        MessageProperties.MINIMAL_PERSISTENT_BASIC
            .builder()
            .contentType(contentType == null ? null : contentType.toString())
            .headers(own)
            .build(),
        body);
  }

  void publish(AMQP.BasicProperties properties, byte[] body) {
    publish(List.of(new Parcel(topology.exchange, KEY, properties, body)));
  }

  /**
   * Publishes with confirms, because unconfirmed messages may be lost when the broker is killed.
   */
  private void publish(List<Parcel> parcels) {
    topology.run(
        channel -> {
          channel.confirmSelect();
          for (Parcel parcel : parcels) {
            channel.basicPublish(
                parcel.exchange(), parcel.routingKey(), parcel.properties(), parcel.body());
          }
          try {
            channel.waitForConfirmsOrDie(20_000);
          } catch (InterruptedException | TimeoutException e) {
            throw new IOException(e);
          }
          return parcels;
        });
  }

  @Override
  public Duration takeover() {
    return Duration.ofSeconds(5);
  }

  @Override
  public int largest() {
    return 4_000_000;
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
  public void cut() {
    proxy.reset();
    proxy.pass();
  }

  @Override
  public void swallow() {
    proxy.drop();
  }

  @Override
  public void swallowNoMore() {
    proxy.pass();
  }

  @Override
  public void removeAddress() {
    topology.run(channel -> channel.queueDelete(topology.queue));
  }

  @Override
  public void restoreAddress() {
    topology.declareQueue(topology.queue, Map.of());
    topology.bind(KEY);
  }

  @Override
  public Source denied() {
    return new RabbitMqSource(
        config(proxy.port(), topology.queue)
            .credentials(() -> new Credentials("guest", "wrong"))
            .build());
  }

  @Override
  public void takeBack(String consumer) {
    cut();
  }

  @Override
  public void receiveAndDie(String consumer) {
    try (JavaProcess other =
        JavaProcess.of(OtherProgram.class)
            .args(Integer.toString(server.port()), topology.queue)
            .start()) {
      other.awaitLine(line -> line.startsWith("received"), Duration.ofSeconds(60));
      other.kill();
    }
  }

  /** Receives a message, reports it, and waits to be killed. */
  static final class OtherProgram {
    private OtherProgram() {}

    public static void main(String[] args) throws InterruptedException {
      Feed feed =
          new RabbitMqSource(config(Integer.parseInt(args[0]), args[1]).build()).open("other");
      List<Received> received = feed.poll(10, Duration.ofSeconds(30));
      System.out.println("received " + received.size());
      while (true) {
        received = feed.keep(received, Duration.ofSeconds(1));
      }
    }
  }

  @Override
  public void close() {
    proxy.close();
    if (!server.isRunning()) {
      server.start();
    }
    topology.close();
  }
}
