package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.connector.Reason;
import io.posthorn.core.connector.RejectedException;
import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.Envelope;
import io.posthorn.envelope.Transport;
import java.util.function.ToIntBiFunction;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** Turns messages into Kafka records. */
final class Records {
  private static final String CONTENT_TYPE = "content-type";

  private final KafkaConfig config;

  Records(KafkaConfig config) {
    this.config = config;
  }

  /** Throws an exception that {@link ClientFailures} classifies if the message cannot be sent. */
  ProducerRecord<byte @Nullable [], byte @Nullable []> of(
      Message message, String topic, Producer<?, ?> producer) {
    Envelope envelope = config.envelope().envelop(message, Transport.KAFKA);
    Key key = message.key();
    boolean tombstone = config.tombstones().test(message);
    if (tombstone && key == null) {
      throw new RejectedException(
          ClientFailures.INVALID_RECORD, "a tombstone needs a key, but this message has none");
    }
    ProducerRecord<byte @Nullable [], byte @Nullable []> made =
        new ProducerRecord<>(
            topic,
            partition(message, topic, producer),
            key == null ? null : key.id().getBytes(UTF_8),
            tombstone ? null : envelope.body());
    Headers headers = made.headers();
    envelope.headers().forEach((name, value) -> headers.add(name, value.getBytes(UTF_8)));
    headers.add(CONTENT_TYPE, envelope.contentType().getBytes(UTF_8));
    return made;
  }

  private @Nullable Integer partition(Message message, String topic, Producer<?, ?> producer) {
    ToIntBiFunction<Message, Integer> choice = config.partition();
    if (choice == null) {
      return null;
    }
    int partitions = producer.partitionsFor(topic).size();
    int chosen = choice.applyAsInt(message, partitions);
    if (chosen < 0 || chosen >= partitions) {
      throw new RejectedException(
          Reason.INVALID_ADDRESS,
          "partition %d was chosen for this message, but topic '%s' has partitions 0 to %d"
              .formatted(chosen, topic, partitions - 1));
    }
    return chosen;
  }
}
