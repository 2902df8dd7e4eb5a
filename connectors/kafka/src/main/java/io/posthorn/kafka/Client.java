package io.posthorn.kafka;

import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * A producer and what goes with it, from when it was made until it is refused or spoilt.
 *
 * <p>The producer lingers, so that brokers get few large batches instead of many small ones; that
 * is worth a fifth of the speed of a backlog. While only a few messages are on their way nobody is
 * going to fill a batch, and a message may be waiting for its predecessor's answer: then what was
 * sent is flushed at once, by a thread of its own, because a flush waits for all answers.
 */
final class Client {
  private static final Duration OLD = Duration.ofMinutes(1);

  /** So many on their way are few. */
  private static final int FEW = 100;

  private final Producer<byte @Nullable [], byte @Nullable []> producer;
  private final Admin admin;
  private final Records records;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicBoolean flushAsked = new AtomicBoolean();
  private final ExecutorService flusher;
  private final long made = System.nanoTime();
  final Topics topics;

  private Client(
      KafkaConfig config, Admin admin, Producer<byte @Nullable [], byte @Nullable []> producer) {
    this.admin = admin;
    this.producer = producer;
    this.records = new Records(config);
    this.topics = new Topics(config, admin);
    this.flusher =
        Executors.newSingleThreadExecutor(
            task -> KafkaConnector.daemon(task, "posthorn-kafka-flush"));
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
    ProducerRecord<byte @Nullable [], byte @Nullable []> made =
        records.of(message, topic, producer);
    underWay.incrementAndGet();
    try {
      producer.send(
          made,
          (metadata, problem) -> {
            underWay.decrementAndGet();
            callback.onCompletion(metadata, problem);
          });
    } catch (RuntimeException e) {
      underWay.decrementAndGet();
      throw e;
    }
  }

  /** No more is sent for now. */
  void roundSent() {
    if (underWay.get() <= FEW && flushAsked.compareAndSet(false, true)) {
      try {
        flusher.execute(this::flush);
      } catch (RejectedExecutionException closing) {
        // Closing flushes, too.
        flushAsked.set(false);
      }
    }
  }

  private void flush() {
    flushAsked.set(false);
    producer.flush();
  }

  boolean isOld() {
    return System.nanoTime() - made > OLD.toNanos();
  }

  /** Waits so long for what is on its way; the rest is called back with an error. */
  void close(Duration atMost) {
    flusher.shutdown();
    producer.close(atMost);
    admin.close(Duration.ZERO);
  }
}
