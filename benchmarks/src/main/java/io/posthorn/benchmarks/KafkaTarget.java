package io.posthorn.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Envelope;
import io.posthorn.envelope.EnvelopeFormat;
import io.posthorn.envelope.Transport;
import io.posthorn.kafka.KafkaConfig;
import io.posthorn.kafka.KafkaConnector;
import io.posthorn.testservers.EmbeddedKafka;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A Kafka broker with one topic of twelve partitions. */
final class KafkaTarget implements Target {
  private static final String TOPIC = "bench";
  private static final EnvelopeFormat ENVELOPE = EnvelopeFormat.cloudEvents("/bench");

  private final EmbeddedKafka kafka = EmbeddedKafka.builder().start();

  KafkaTarget() {
    try (Connector connector = connector()) {
      connector.check(); // creates the topic
    }
  }

  @Override
  public Connector connector() {
    return new KafkaConnector(
        KafkaConfig.to(kafka.bootstrapServers(), TOPIC, ENVELOPE).createTopic(12, 1).build());
  }

  @Override
  public Client client() {
    return new Plain(kafka.bootstrapServers());
  }

  @Override
  public void close() {
    kafka.close();
  }

  private static final class Plain implements Client {
    private final KafkaProducer<byte[], byte[]> producer;

    Plain(String servers) {
      this.producer =
          new KafkaProducer<>(
              Map.of(
                  ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers,
                  ProducerConfig.ACKS_CONFIG, "all",
                  ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true"),
              new ByteArraySerializer(),
              new ByteArraySerializer());
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // the callback reports the result
    public void send(Message message, Runnable acknowledged) {
      Envelope envelope = ENVELOPE.envelop(message, Transport.KAFKA);
      Key key = message.key();
      byte[] keyBytes = key == null ? new byte[0] : key.id().getBytes(UTF_8);
      ProducerRecord<byte[], byte[]> made = new ProducerRecord<>(TOPIC, keyBytes, envelope.body());
      envelope.headers().forEach((name, value) -> made.headers().add(name, value.getBytes(UTF_8)));
      made.headers().add("content-type", envelope.contentType().getBytes(UTF_8));
      producer.send(
          made,
          (metadata, problem) -> {
            if (problem == null) {
              acknowledged.run();
            }
          });
    }

    @Override
    public void close() {
      producer.close();
    }
  }
}
