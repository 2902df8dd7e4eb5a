package io.posthorn.kafka;

import io.posthorn.core.message.Message;
import java.time.Duration;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A producer and what goes with it, from when it was made until it is refused or spoilt. */
final class Client {
  private static final Duration OLD = Duration.ofMinutes(1);

  private final Producer<byte @Nullable [], byte @Nullable []> producer;
  private final Admin admin;
  private final Records records;
  private final long made = System.nanoTime();
  final Topics topics;

  private Client(
      KafkaConfig config, Admin admin, Producer<byte @Nullable [], byte @Nullable []> producer) {
    this.admin = admin;
    this.producer = producer;
    this.records = new Records(config);
    this.topics = new Topics(config, admin);
  }

  static Client open(KafkaConfig config) {
    Admin admin = Admin.create(ClientSettings.ofAdmin(config));
    try {
      return new Client(
          config,
          admin,
          new KafkaProducer<>(
              ClientSettings.ofProducer(config),
              new ByteArraySerializer(),
              new ByteArraySerializer()));
    } catch (RuntimeException e) {
      admin.close(Duration.ZERO);
      throw e;
    }
  }

  /** Either throws, or calls back exactly once. */
  @SuppressWarnings("FutureReturnValueIgnored") // the callback tells
  void send(Message message, String topic, Callback callback) {
    producer.send(records.of(message, topic, producer), callback);
  }

  boolean isOld() {
    return System.nanoTime() - made > OLD.toNanos();
  }

  /** Waits so long for what is on its way; the rest is called back with an error. */
  void close(Duration atMost) {
    producer.close(atMost);
    admin.close(Duration.ZERO);
  }
}
