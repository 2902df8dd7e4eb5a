package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Message;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.testkit.SourceFixture;
import io.posthorn.testservers.JavaProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A topic with four partitions; tests receive through a proxy and send directly. */
final class KafkaSourceFixture implements SourceFixture {
  final String topic = Broker.topic();
  private final KafkaProducer<byte[], byte[]> producer =
      new KafkaProducer<>(
          Map.of(
              "bootstrap.servers",
              Broker.KAFKA.bootstrapServers(),
              "linger.ms",
              "5",
              // A newly created topic may refuse the first of several requests, and then the others
              // too.
              "max.in.flight.requests.per.connection",
              "1"),
          new ByteArraySerializer(),
          new ByteArraySerializer());

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public Set<Ability> can() {
    return Set.of(Ability.values());
  }

  static KafkaSourceConfig.Builder config(String servers, String topic) {
    return KafkaSourceConfig.from(servers, EnvelopeReader.cloudEvents(), topic)
        .client("session.timeout.ms", "3000")
        .client("heartbeat.interval.ms", "500")
        .client("metadata.max.age.ms", "1000")
        .client("request.timeout.ms", "5000")
        .timeout(Duration.ofSeconds(5));
  }

  @Override
  public Source source() {
    return new KafkaSource(config(Broker.KAFKA.proxiedServers(), topic).build());
  }

  @Override
  public void send(List<Message> messages) {
    KafkaConfig to =
        KafkaConfig.to(Broker.KAFKA.bootstrapServers(), topic, EnvelopeFormat.cloudEvents(SENDER))
            .build();
    Records records = new Records(to);
    List<Future<?>> sent = new ArrayList<>();
    messages.forEach(message -> sent.add(producer.send(records.of(message, topic, producer))));
    sent.forEach(KafkaSourceFixture::done);
  }

  @Override
  public void sendRaw(byte[] body, Map<String, String> headers) {
    ProducerRecord<byte[], byte[]> raw = new ProducerRecord<>(topic, body);
    headers.forEach((name, value) -> raw.headers().add(name, value.getBytes(UTF_8)));
    done(producer.send(raw));
  }

  private static void done(Future<?> future) {
    try {
      future.get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public Duration takeover() {
    return Duration.ofSeconds(10);
  }

  @Override
  public int largest() {
    return 1_000_000;
  }

  @Override
  public void stop() {
    Broker.KAFKA.kill();
  }

  @Override
  public void start() {
    Broker.KAFKA.start();
  }

  @Override
  public void cut() {
    Broker.KAFKA.proxy().reset();
    Broker.KAFKA.proxy().pass();
  }

  @Override
  public void swallow() {
    Broker.KAFKA.proxy().drop();
  }

  @Override
  public void swallowNoMore() {
    Broker.KAFKA.proxy().pass();
  }

  @Override
  public void removeAddress() {
    Broker.delete(topic);
  }

  @Override
  public void restoreAddress() {
    Broker.create(topic, Map.of());
  }

  @Override
  public Source denied() {
    try {
      SecureBroker broker = SecureBroker.shared();
      return new KafkaSource(
          KafkaSourceConfig.from(broker.servers(), EnvelopeReader.cloudEvents(), topic)
              .login("writer", () -> "wrong")
              .client(broker::trust)
              .build());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void takeBack(String consumer) {
    try (Admin admin = Broker.admin(Broker.KAFKA)) {
      admin
          .removeMembersFromConsumerGroup(consumer, new RemoveMembersFromConsumerGroupOptions())
          .all()
          .get();
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void receiveAndDie(String consumer) {
    try (JavaProcess other =
        JavaProcess.of(OtherProgram.class)
            .args(Broker.KAFKA.bootstrapServers(), topic, consumer)
            .start()) {
      other.awaitLine(line -> line.startsWith("received"), Duration.ofSeconds(60));
      other.kill();
    }
  }

  /** Receives one message, reports it, and waits to be killed. */
  static final class OtherProgram {
    private OtherProgram() {}

    public static void main(String[] args) throws InterruptedException {
      var feed = new KafkaSource(config(args[0], args[1]).build()).open(args[2]);
      var received = feed.poll(10, Duration.ofSeconds(1));
      while (received.isEmpty()) {
        received = feed.poll(10, Duration.ofSeconds(1));
      }
      System.out.println("received " + received.size());
      while (true) {
        received = feed.keep(received, Duration.ofSeconds(1));
      }
    }
  }

  @Override
  public void close() {
    if (!Broker.KAFKA.isRunning()) {
      Broker.KAFKA.start();
    }
    Broker.KAFKA.proxy().reset();
    Broker.KAFKA.proxy().pass();
    producer.close();
  }
}
