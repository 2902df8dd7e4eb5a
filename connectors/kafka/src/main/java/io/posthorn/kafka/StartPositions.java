package io.posthorn.kafka;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds where reading begins in a partition whose position is missing or lost. */
final class StartPositions {
  private static final Logger LOG = LoggerFactory.getLogger(StartPositions.class);

  private final KafkaSourceConfig config;
  private final String group;

  StartPositions(KafkaSourceConfig config, String group) {
    this.config = config;
    this.group = group;
  }

  /**
   * Returns the start position of partitions in which the group has no position.
   *
   * <p>With {@code NOW}, all partitions of a topic get their position at once. A partition found
   * without a position afterwards was added later, and none of its messages may be skipped.
   *
   * <p>The result leaves out a partition whose position is already committed, or will be committed
   * by the responsible member: the next poll finds it.
   */
  Map<TopicPartition, Long> first(
      Consumer<?, ?> client, TopicIds ids, Collection<TopicPartition> partitions) {
    Set<TopicPartition> fromTheBeginning = new HashSet<>(partitions);
    if (config.startAt() == KafkaSourceConfig.Start.NOW) {
      Set<String> topics = new HashSet<>();
      partitions.forEach(partition -> topics.add(partition.topic()));
      topics.forEach(topic -> startAtLatest(client, ids, topic, fromTheBeginning));
    }
    return fromTheBeginning.isEmpty()
        ? Map.of()
        : client.beginningOffsets(fromTheBeginning, config.timeout());
  }

  private void startAtLatest(
      Consumer<?, ?> client, TopicIds ids, String topic, Set<TopicPartition> fromTheBeginning) {
    Set<TopicPartition> all = new HashSet<>(fromTheBeginning);
    all.removeIf(partition -> !partition.topic().equals(topic));
    client
        .partitionsFor(topic, config.timeout())
        .forEach(found -> all.add(new TopicPartition(topic, found.partition())));
    Set<TopicPartition> read = new HashSet<>();
    client
        .committed(all, config.timeout())
        .forEach(
            (partition, position) -> {
              if (position != null) {
                read.add(partition);
              }
            });
    if (!read.isEmpty()) {
      fromTheBeginning.removeAll(read);
    } else if (ids.wasAnother(topic)) {
      // The broker removed the positions together with the topic.
      LOG.warn(
          "Topic '{}' was deleted and recreated: group '{}' reads it from the beginning.",
          topic,
          group);
    } else {
      fromTheBeginning.removeAll(all);
      commitLatest(client, ids, topic, all);
    }
  }

  /**
   * Commits the latest positions, if this member owns the topic's first partition.
   *
   * <p>No other member owns that partition at the time, and the broker refuses the commit of a
   * member that has lost it without noticing. So no position moves from which another member
   * already reads.
   */
  private void commitLatest(
      Consumer<?, ?> client, TopicIds ids, String topic, Set<TopicPartition> all) {
    if (client.assignment().contains(new TopicPartition(topic, 0))) {
      Map<TopicPartition, Long> ends = client.endOffsets(all, config.timeout());
      client.commitSync(ids.marked(ends), config.timeout());
    }
  }

  /** Continues with the oldest message. Older ones cannot be read any more and are reported. */
  Map<TopicPartition, Long> afterLoss(Consumer<?, ?> client, Map<TopicPartition, Long> gone) {
    Map<TopicPartition, Long> oldest = client.beginningOffsets(gone.keySet(), config.timeout());
    gone.forEach(
        (partition, offset) ->
            LOG.error(
                "Messages of {} were deleted before group '{}' had read them: its position was {}, the oldest message now is {}. Reading continues there. Check the topic's retention, and whether the topic was deleted and recreated.",
                partition,
                group,
                offset,
                oldest.get(partition)));
    return oldest;
  }

  /** Starts at the beginning of recreated topics: the group has read nothing of them. */
  Map<TopicPartition, Long> ofNewTopics(
      Consumer<?, ?> client, Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    LOG.warn(
        "Topics were deleted and recreated: group '{}' reads {} from the beginning.",
        group,
        partitions);
    return client.beginningOffsets(partitions, config.timeout());
  }
}
