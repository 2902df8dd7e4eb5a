package io.posthorn.examples.campuscafe.stage;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Sends the newest messages of all topics again, as brokers do after a rebalance or a crash. */
final class Repeats {
  private static final Duration WAIT = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private Repeats() {}

  /** Repeats up to this many messages of each partition. */
  static void lastMessages(String servers, int most) {
    Map<String, Object> settings = Map.of("bootstrap.servers", servers);
    try (var consumer =
            new KafkaConsumer<>(
                settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        var producer =
            new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
      List<TopicPartition> partitions =
          Cafe.topics().stream()
              .flatMap(topic -> consumer.partitionsFor(topic).stream())
              .map(info -> new TopicPartition(info.topic(), info.partition()))
              .toList();
      consumer.assign(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      ends.forEach((partition, end) -> consumer.seek(partition, Math.max(0, end - most)));
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < deadline && !isRead(consumer, ends)) {
        for (ConsumerRecord<byte[], byte[]> read : consumer.poll(WAIT)) {
          TopicPartition partition = new TopicPartition(read.topic(), read.partition());
          // What comes after that are the copies themselves.
          if (read.offset() < ends.getOrDefault(partition, 0L)) {
            var unused = producer.send(copy(read));
          }
        }
      }
      producer.flush();
    }
  }

  private static boolean isRead(
      KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> ends) {
    return ends.entrySet().stream()
        .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
  }

  private static ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> read) {
    return new ProducerRecord<>(
        read.topic(), read.partition(), read.key(), read.value(), read.headers());
  }
}
