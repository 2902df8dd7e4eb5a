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
 * One Kafka producer with its admin client, from opening until it is refused or becomes unusable.
 *
 * <p>The producer lingers so that brokers receive few large batches instead of many small ones,
 * which is worth a fifth of the speed of a backlog. With only a few messages in flight, no batch
 * would fill, and a message may be waiting for the answer to its predecessor. What was sent is then
 * flushed at once. The flush runs in a thread of its own because it waits for all answers.
 */
final class SendingClient {
  private static final Duration OLD = Duration.ofMinutes(1);

  /** Up to this many messages in flight, a round is flushed at once. */
  private static final int FEW = 100;

  private final Producer<byte @Nullable [], byte @Nullable []> producer;
  private final Admin admin;
  private final Records records;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicBoolean flushAsked = new AtomicBoolean();
  private final ExecutorService flusher;
  private final long made = System.nanoTime();
  final Topics topics;

  private SendingClient(
      KafkaConfig config, Admin admin, Producer<byte @Nullable [], byte @Nullable []> producer) {
    this.admin = admin;
    this.producer = producer;
    this.records = new Records(config);
    this.topics = new Topics(config, admin);
    this.flusher =
        Executors.newSingleThreadExecutor(
            task -> KafkaConnector.daemon(task, "posthorn-kafka-flush"));
  }

  static SendingClient open(KafkaConfig config) {
    Admin admin = Admin.create(ClientSettings.ofAdmin(config));
    try {
      return new SendingClient(
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
  @SuppressWarnings("FutureReturnValueIgnored") // the callback reports the result
  void send(Message message, String topic, Callback callback) {
    ProducerRecord<byte @Nullable [], byte @Nullable []> made =
        records.of(message, topic, producer);
    inFlight.incrementAndGet();
    try {
      producer.send(
          made,
          (metadata, problem) -> {
            inFlight.decrementAndGet();
            callback.onCompletion(metadata, problem);
          });
    } catch (RuntimeException e) {
      inFlight.decrementAndGet();
      throw e;
    }
  }

  /** Reports the end of a round of sends; flushes if only a few messages are in flight. */
  void roundSent() {
    if (inFlight.get() <= FEW && flushAsked.compareAndSet(false, true)) {
      try {
        flusher.execute(this::flush);
      } catch (RejectedExecutionException closing) {
        // Closing the producer also flushes it.
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

  /** Waits up to this long for answers in flight; then calls the others back with an error. */
  void close(Duration atMost) {
    flusher.shutdown();
    producer.close(atMost);
    admin.close(Duration.ZERO);
  }
}
