package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeReader;
import io.posthorn.testkit.TestMessages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A group that starts with the latest skips what was sent before its first read, and no more. */
class KafkaLatestTest {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final long PATIENCE = Duration.ofSeconds(40).toNanos();

  private final KafkaSourceFixture kafka = new KafkaSourceFixture();
  private final String group = "g-" + UUID.randomUUID();

  @AfterEach
  void close() {
    kafka.close();
  }

  private Source source(String protocol) {
    return new KafkaSource(
        KafkaSourceConfig.from(
                Broker.KAFKA.bootstrapServers(), EnvelopeReader.cloudEvents(), kafka.topic)
            .client("group.protocol", protocol)
            // Long enough for another member to join before this one learns of more partitions.
            .client("metadata.max.age.ms", "10000")
            .startAt(KafkaSourceConfig.Start.NOW)
            .build());
  }

  private static List<Message> messages(String name, int count) {
    return IntStream.range(0, count).mapToObj(i -> keyed(name + i, name + i)).toList();
  }

  /** Returns what each feed receives in one round, each polled in turn. */
  private static List<String> round(Feed... feeds) throws InterruptedException {
    List<String> received = new ArrayList<>();
    for (Feed feed : feeds) {
      List<Received> some = feed.poll(100, TICK);
      some.forEach(one -> received.add(TestMessages.content(one.message())));
      feed.acknowledge(some);
    }
    return received;
  }

  private static void assertReceived(List<Message> sent, Feed... feeds)
      throws InterruptedException {
    long until = System.nanoTime() + PATIENCE;
    // Some messages arrive twice if they were not committed before their partition moved to another
    // member.
    Set<String> received = new HashSet<>();
    while (received.size() < sent.size() && System.nanoTime() < until) {
      received.addAll(round(feeds));
    }
    assertThat(received)
        .containsExactlyInAnyOrderElementsOf(sent.stream().map(TestMessages::content).toList());
  }

  private void begin(Feed... feeds) throws Exception {
    long until = System.nanoTime() + PATIENCE;
    while (positions() < 4 && System.nanoTime() < until) {
      assertThat(round(feeds)).isEmpty();
    }
    assertThat(positions()).isEqualTo(4);
  }

  private int positions() throws Exception {
    try (Admin admin = Broker.admin(Broker.KAFKA)) {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get().size();
    }
  }

  private void addPartitions() throws Exception {
    try (Admin admin = Broker.admin(Broker.KAFKA)) {
      admin.createPartitions(Map.of(kafka.topic, NewPartitions.increaseTo(40))).all().get();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void members_that_begin_together_skip_what_was_there_and_miss_nothing_from_then_on(
      String protocol) throws Exception {
    Source source = source(protocol);
    kafka.send(messages("before", 40));
    try (Feed one = source.open(group);
        Feed two = source.open(group)) {
      begin(one, two);
      List<Message> sent = messages("after", 100);
      kafka.send(sent);
      assertReceived(sent, one, two);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void where_a_group_begins_is_said_by_the_member_that_has_the_first_partition(String protocol)
      throws Exception {
    Source source = source(protocol);
    kafka.send(messages("before", 40));
    try (Feed feed = source.open(group);
        KafkaConsumer<byte[], byte[]> first = silent(protocol)) {
      TopicPartition zero = new TopicPartition(kafka.topic, 0);
      long until = System.nanoTime() + PATIENCE;
      while (first.assignment().isEmpty() && System.nanoTime() < until) {
        first.poll(TICK);
      }
      while (first.assignment().size() > 2 && System.nanoTime() < until) {
        first.poll(TICK);
        assertThat(round(feed)).isEmpty();
      }
      assertThat(first.assignment()).hasSize(2).contains(zero);
      for (int i = 0; i < 5; i++) {
        first.poll(TICK);
        assertThat(round(feed)).isEmpty();
      }
      assertThat(positions()).isZero();
      first.close();
      begin(feed);
      List<Message> sent = messages("after", 100);
      kafka.send(sent);
      assertReceived(sent, feed);
    }
  }

  /** Creates a member that never commits. */
  private KafkaConsumer<byte[], byte[]> silent(String protocol) {
    KafkaSourceConfig config =
        KafkaSourceConfig.from(
                Broker.KAFKA.bootstrapServers(), EnvelopeReader.cloudEvents(), kafka.topic)
            .client("group.protocol", protocol)
            .build();
    Map<String, Object> settings = ConsumerSettings.of(config, group);
    settings.put("auto.offset.reset", "latest");
    KafkaConsumer<byte[], byte[]> member =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    member.subscribe(List.of(kafka.topic));
    return member;
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_member_that_joins_after_partitions_were_added_reads_them_from_their_beginning(
      String protocol) throws Exception {
    try (Feed one = source(protocol).open(group)) {
      begin(one);
      addPartitions();
      List<Message> sent = messages("n", 100);
      kafka.send(sent);
      // A new source stands for another program: it has never seen the topic with fewer partitions.
      try (Feed two = source(protocol).open(group)) {
        assertReceived(sent, one, two);
      }
    }
  }

  @Test
  void partitions_that_were_added_while_no_program_ran_are_read_from_their_beginning()
      throws Exception {
    try (Feed feed = source("classic").open(group)) {
      begin(feed);
    }
    addPartitions();
    List<Message> sent = messages("n", 100);
    kafka.send(sent);
    try (Feed feed = source("classic").open(group)) {
      assertReceived(sent, feed);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"classic", "consumer"})
  void a_topic_that_was_missing_for_a_while_is_read_from_its_beginning(String protocol)
      throws Exception {
    Source source = source(protocol);
    try (Feed feed = source.open(group)) {
      begin(feed);
      kafka.removeAddress();
      assertThatThrownBy(
              () -> {
                long until = System.nanoTime() + PATIENCE;
                while (System.nanoTime() < until) {
                  round(feed);
                }
              })
          .isInstanceOf(PosthornException.class);
    }
    kafka.restoreAddress();
    List<Message> sent = messages("n", 5);
    kafka.send(sent);
    try (Feed feed = source.open(group)) {
      assertReceived(sent, feed);
    }
  }
}
