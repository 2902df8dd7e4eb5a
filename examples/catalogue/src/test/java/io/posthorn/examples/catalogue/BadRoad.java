package io.posthorn.examples.catalogue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Between the shop's topics and those that the baskets read: every message comes twice, and what
 * was held up comes with the newest first. Brokers, networks and senders do all of this now and
 * then; this road does it on purpose.
 */
final class BadRoad {
  private static final Map<String, String> TO =
      Map.of(
          "shop.ProductPriceChanged", "baskets.ProductPriceChanged",
          "shop.OrderStarted", "baskets.OrderStarted");

  private final KafkaConsumer<byte[], byte[]> from;
  private final KafkaProducer<byte[], byte[]> to;
  private final List<ConsumerRecord<byte[], byte[]>> waiting = new ArrayList<>();
  private final List<ConsumerRecord<byte[], byte[]>> carried = new ArrayList<>();
  private boolean held;

  BadRoad(String servers) {
    from =
        new KafkaConsumer<>(
            Map.of(
                "bootstrap.servers", servers,
                "group.id", "bad-road",
                "auto.offset.reset", "earliest"),
            new ByteArrayDeserializer(),
            new ByteArrayDeserializer());
    to =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", servers),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    from.subscribe(TO.keySet());
    Thread road = new Thread(this::run, "bad-road");
    road.setDaemon(true);
    road.start();
  }

  /** Lets nothing through until {@link #letGo}. */
  synchronized void hold() {
    held = true;
  }

  synchronized int waiting() {
    return waiting.size();
  }

  synchronized void letGo() {
    held = false;
    carryWaiting();
  }

  /** Brings everything again that it has ever brought. */
  synchronized void again() {
    carry(carried);
  }

  private void run() {
    while (true) {
      var records = from.poll(Duration.ofMillis(50));
      synchronized (this) {
        records.forEach(waiting::add);
        if (!held) {
          carryWaiting();
        }
      }
    }
  }

  private void carryWaiting() {
    carry(waiting);
    carried.addAll(waiting);
    waiting.clear();
  }

  private void carry(List<ConsumerRecord<byte[], byte[]>> records) {
    List<ConsumerRecord<byte[], byte[]>> newestFirst = new ArrayList<>(records);
    Collections.reverse(newestFirst);
    for (ConsumerRecord<byte[], byte[]> one : newestFirst) {
      to.send(copy(one));
      to.send(copy(one));
    }
    to.flush();
  }

  private static ProducerRecord<byte[], byte[]> copy(ConsumerRecord<byte[], byte[]> one) {
    return new ProducerRecord<>(
        TO.get(one.topic()), one.partition(), one.key(), one.value(), one.headers());
  }
}
