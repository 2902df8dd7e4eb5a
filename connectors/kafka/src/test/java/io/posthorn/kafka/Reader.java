package io.posthorn.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.posthorn.core.message.Key;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads a topic from its beginning; keeps what it read when the topic is deleted. */
final class Reader implements AutoCloseable {
  private final String topic;
  private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
  private final KafkaConsumer<byte[], byte[]> consumer;

  Reader(String servers, String topic) {
    this.topic = topic;
    this.consumer =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", servers,
                "auto.offset.reset", "earliest",
                "allow.auto.create.topics", "false",
                "default.api.timeout.ms", "3000",
                "request.timeout.ms", "2000"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    assign();
  }

  /** Reads a recreated topic of the same name. */
  synchronized void assign() {
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(partition -> new TopicPartition(topic, partition.partition()))
            .toList();
    consumer.unsubscribe();
    consumer.assign(partitions);
    consumer.seekToBeginning(partitions);
  }

  /** Returns everything read so far; while the broker is unreachable, what was read before. */
  synchronized List<ConsumerRecord<byte[], byte[]>> records() {
    try {
      Map<TopicPartition, Long> ends = consumer.endOffsets(consumer.assignment());
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(records::add);
      }
    } catch (KafkaException e) {
      // the next call reads them again
    }
    return List.copyOf(records);
  }

  List<Message> messages() {
    return records().stream().map(Reader::message).toList();
  }

  static Message message(ConsumerRecord<byte[], byte[]> read) {
    Map<String, String> headers = headers(read);
    Map<String, String> own = new HashMap<>(headers);
    own.keySet().removeIf(name -> name.startsWith("ce_") || name.equals("content-type"));
    return new Message(
        UUID.fromString(headers.get("ce_id")),
        false,
        headers.get("ce_type"),
        Integer.parseInt(headers.get("ce_schemaversion")),
        read.key() == null
            ? null
            : new Key(headers.get("ce_aggregatetype"), new String(read.key(), UTF_8)),
        read.value(),
        headers.get("content-type"),
        own,
        Instant.parse(headers.get("ce_time")),
        null);
  }

  static Map<String, String> headers(ConsumerRecord<byte[], byte[]> read) {
    Map<String, String> headers = new HashMap<>();
    for (Header header : read.headers()) {
      headers.put(header.key(), new String(header.value(), UTF_8));
    }
    return headers;
  }

  @Override
  public synchronized void close() {
    consumer.close();
  }
}
