package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.keyed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Behaviour specific to Kafka; the contract covers the rest. */
class KafkaSourceTest {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final long PATIENCE = Duration.ofSeconds(40).toNanos();

  private final KafkaSourceFixture kafka = new KafkaSourceFixture();
  private final String group = "g-" + UUID.randomUUID();

  @AfterEach
  void close() {
    kafka.close();
  }

  private KafkaSourceConfig.Builder config() {
    return KafkaSourceFixture.config(Broker.KAFKA.bootstrapServers(), kafka.topic);
  }

  private static List<Received> receive(Feed feed, int count) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE;
    List<Received> received = new ArrayList<>();
    while (received.size() < count && System.nanoTime() < until) {
      received.addAll(feed.poll(100, TICK));
    }
    assertThat(received).hasSize(count);
    return received;
  }

  private static List<String> contents(List<Received> received) {
    return received.stream().map(one -> TestMessages.content(one.message())).toList();
  }

  private static List<Message> numbered(String key, int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> keyed(key, Integer.toString(i))).toList();
  }

  private static void administer(Function<Admin, Future<?>> change) throws Exception {
    try (Admin admin = Broker.admin(Broker.KAFKA)) {
      change.apply(admin).get();
    }
  }

  @Test
  void messages_that_vanished_are_reported_and_reading_continues_with_the_oldest_left()
      throws Exception {
    Source source = new KafkaSource(config().build());
    kafka.send(numbered("k", 0, 10));
    HeldPartition.Place first;
    try (Feed feed = source.open(group)) {
      List<Received> received = receive(feed, 10);
      first = (HeldPartition.Place) received.get(0).place();
      feed.acknowledge(received.subList(0, 3));
    }
    assertThat(first.offset()).isZero();
    // Sends to all partitions, since the key belongs to one of them.
    for (int partition = 0; partition < 4; partition++) {
      TopicPartition of = new TopicPartition(kafka.topic, partition);
      try (Admin admin = Broker.admin(Broker.KAFKA)) {
        long end =
            admin.listOffsets(Map.of(of, OffsetSpec.latest())).partitionResult(of).get().offset();
        admin
            .deleteRecords(Map.of(of, RecordsToDelete.beforeOffset(Math.max(0, end - 2))))
            .all()
            .get();
      }
    }
    assertThat(source.check(group))
        .anyMatch(finding -> finding.problem() && finding.name().equals(SourceCheck.VANISHED));
    try (Feed feed = source.open(group)) {
      List<Received> rest = receive(feed, 2);
      assertThat(contents(rest)).containsExactly("8", "9");
      feed.acknowledge(rest);
    }
    assertThat(source.check(group)).noneMatch(Finding::problem);
  }

  @Test
  void a_short_retention_and_compaction_are_reported() throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, kafka.topic);
    administer(
        admin ->
            admin
                .incrementalAlterConfigs(
                    Map.of(
                        resource,
                        List.of(
                            set("retention.ms", "3600000"),
                            set("cleanup.policy", "compact,delete"))))
                .all()
                .toCompletionStage()
                .toCompletableFuture());
    assertThat(new KafkaSource(config().build()).check(group))
        .anyMatch(finding -> finding.name().equals(SourceCheck.SHORT_RETENTION))
        .anyMatch(finding -> finding.name().equals(SourceCheck.COMPACTED))
        .noneMatch(Finding::problem);
  }

  private static AlterConfigOp set(String name, String value) {
    return new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET);
  }

  @Test
  void a_start_at_the_latest_misses_nothing_from_then_on() throws Exception {
    Source source = new KafkaSource(config().startAt(KafkaSourceConfig.Start.NOW).build());
    kafka.send(numbered("k", 0, 5));
    try (Feed feed = source.open(group)) {
      long until = System.nanoTime() + PATIENCE;
      while (committed() < 4 && System.nanoTime() < until) {
        assertThat(feed.poll(10, TICK)).isEmpty();
      }
    }
    kafka.send(numbered("k", 5, 10));
    try (Feed feed = source.open(group)) {
      List<Received> received = receive(feed, 5);
      assertThat(contents(received)).containsExactly("5", "6", "7", "8", "9");
      feed.acknowledge(received);
      administer(
          admin ->
              admin
                  .createPartitions(Map.of(kafka.topic, NewPartitions.increaseTo(40)))
                  .all()
                  .toCompletionStage()
                  .toCompletableFuture());
      kafka.send(IntStream.range(0, 100).mapToObj(i -> keyed("n" + i, "n" + i)).toList());
      assertThat(contents(receive(feed, 100))).contains("n0", "n99");
    }
  }

  private int committed() throws Exception {
    try (Admin admin = Broker.admin(Broker.KAFKA)) {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().size();
    }
  }

  @Test
  void a_partition_that_another_member_gets_is_lost_and_the_rest_kept() throws Exception {
    Source source = new KafkaSource(config().build());
    kafka.send(IntStream.range(0, 40).mapToObj(i -> keyed("k" + i, "" + i)).toList());
    try (Feed one = source.open(group);
        Feed two = source.open(group)) {
      List<Received> all = receive(one, 40);
      List<Received> kept = all;
      List<Received> others = new ArrayList<>();
      long until = System.nanoTime() + PATIENCE;
      while (System.nanoTime() < until && (kept.size() == 40 || kept.size() + others.size() < 40)) {
        kept = one.keep(kept, TICK);
        others.addAll(two.poll(100, TICK));
      }
      assertThat(kept).isNotEmpty();
      assertThat(others).isNotEmpty();
      one.acknowledge(all);
      two.acknowledge(others);
      List<Received> together = new ArrayList<>(kept);
      together.addAll(others);
      assertThat(contents(together)).containsExactlyInAnyOrderElementsOf(contents(all));
    }
    kafka.send(numbered("last", 0, 1));
    try (Feed feed = source.open(group)) {
      assertThat(contents(receive(feed, 1))).containsExactly("0");
    }
  }

  @Test
  void the_newer_group_protocol_works_too() throws Exception {
    Source source =
        new KafkaSource(
            KafkaSourceConfig.from(
                    Broker.KAFKA.bootstrapServers(), EnvelopeReader.cloudEvents(), kafka.topic)
                .client("group.protocol", "consumer")
                .build());
    kafka.send(numbered("k", 0, 10));
    try (Feed feed = source.open(group)) {
      List<Received> received = receive(feed, 10);
      assertThat(feed.keep(received, TICK)).hasSize(10);
      feed.acknowledge(received.subList(0, 5));
    }
    try (Feed feed = source.open(group)) {
      assertThat(contents(receive(feed, 5))).containsExactly("5", "6", "7", "8", "9");
    }
  }

  @Test
  void a_tombstone_is_an_empty_message_with_a_mark_and_aborted_messages_are_not_seen()
      throws Exception {
    Source source =
        new KafkaSource(
            KafkaSourceConfig.from(
                    Broker.KAFKA.bootstrapServers(), EnvelopeReader.plain("Changed"), kafka.topic)
                .build());
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", Broker.KAFKA.bootstrapServers(), "transactional.id", group),
            new ByteArraySerializer(),
            new ByteArraySerializer())) {
      producer.initTransactions();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(kafka.topic, "k".getBytes(UTF_8), "no".getBytes(UTF_8)));
      producer.flush();
      producer.abortTransaction();
      producer.beginTransaction();
      producer.send(new ProducerRecord<>(kafka.topic, "k".getBytes(UTF_8), null));
      producer.commitTransaction();
    }
    Message message;
    try (Feed feed = source.open(group)) {
      message = receive(feed, 1).get(0).message();
    }
    assertThat(message.payload()).isEmpty();
    assertThat(message.headers()).containsEntry(KafkaSource.TOMBSTONE, "true");
    assertThat(message.type()).isEqualTo("Changed");
    assertThat(message.key().id()).isEqualTo("k");
    try (Feed feed = source.open(group)) {
      assertThat(receive(feed, 1).get(0).message().id()).isEqualTo(message.id());
    }
  }

  @Test
  void a_missing_right_to_read_is_reported() throws Exception {
    SecureBroker broker = SecureBroker.shared();
    Broker.create(broker.admin, kafka.topic, Map.of());
    broker.allowWriting("writer", kafka.topic);
    Source source =
        new KafkaSource(
            KafkaSourceConfig.from(broker.servers(), EnvelopeReader.cloudEvents(), kafka.topic)
                .login("writer", () -> SecureBroker.PASSWORD)
                .client(broker::trust)
                .build());
    assertThat(source.check(group))
        .anyMatch(finding -> finding.problem() && finding.name().equals("ACCESS_DENIED"));
    try (Feed feed = source.open(group)) {
      assertThatThrownBy(
              () -> {
                long until = System.nanoTime() + PATIENCE;
                while (System.nanoTime() < until) {
                  feed.poll(10, TICK);
                }
              })
          .isInstanceOf(PosthornException.class)
          .hasMessageContaining("ACCESS_DENIED");
    }
  }

  @Test
  void all_problems_of_a_configuration_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                KafkaSourceConfig.from("host:1", EnvelopeReader.cloudEvents())
                    .group(" ")
                    .timeout(Duration.ZERO)
                    .client("enable.auto.commit", "true")
                    .client("session.timeout.ms", "soon")
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContainingAll(
            "topics", "group", "timeout", "enable.auto.commit", "session.timeout.ms");
  }
}
