package io.posthorn.kafka;

import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where reading begins in a partition where the group has no position, or one that is gone. */
final class Starts {
  private static final Logger LOG = LoggerFactory.getLogger(Starts.class);

  private final KafkaSourceConfig config;
  private final String group;

  Starts(KafkaSourceConfig config, String group) {
    this.config = config;
    this.group = group;
  }

  /**
   * With {@code NOW}, all partitions of a topic get their position at once. From then on one
   * without a position was added later, and nothing of it may be skipped.
   *
   * <p>So this returns nothing for a partition whose position is there by now, or still to come
   * from the member that sees to it: the next poll finds it.
   */
  Map<TopicPartition, Long> first(
      Consumer<?, ?> client, TopicIds ids, Collection<TopicPartition> partitions) {
    Set<TopicPartition> fromTheBeginning = new HashSet<>(partitions);
    if (config.startAt() == KafkaSourceConfig.Start.NOW) {
      Set<String> topics = new HashSet<>();
      partitions.forEach(partition -> topics.add(partition.topic()));
      topics.forEach(topic -> latest(client, ids, topic, fromTheBeginning));
    }
    return fromTheBeginning.isEmpty()
        ? Map.of()
        : client.beginningOffsets(fromTheBeginning, config.timeout());
  }

  private void latest(
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
      LOG.warn("Topic '{}' was made anew: group '{}' reads it from the beginning.", topic, group);
    } else {
      fromTheBeginning.removeAll(all);
      beginWithTheLatest(client, ids, topic, all);
    }
  }

  /**
   * Only the member that has the first partition does so. Nobody else has it then, and a commit is
   * refused from one who has lost it unawares: so nobody moves a position from which another member
   * reads already.
   */
  private void beginWithTheLatest(
      Consumer<?, ?> client, TopicIds ids, String topic, Set<TopicPartition> all) {
    if (client.assignment().contains(new TopicPartition(topic, 0))) {
      Map<TopicPartition, Long> ends = client.endOffsets(all, config.timeout());
      client.commitSync(ids.marked(ends), config.timeout());
    }
  }

  /** With the oldest there is: what was there before cannot be had any more, but must be told. */
  Map<TopicPartition, Long> afterLoss(Consumer<?, ?> client, Map<TopicPartition, Long> gone) {
    Map<TopicPartition, Long> oldest = client.beginningOffsets(gone.keySet(), config.timeout());
    gone.forEach(
        (partition, offset) ->
            LOG.error(
                "Messages of {} vanished before group '{}' had read them: it stood at {}, the oldest there is now is {}. Reading goes on there; look at the topic's retention, and whether it was made anew.",
                partition,
                group,
                offset,
                oldest.get(partition)));
    return oldest;
  }

  /** With their beginning: the group has read nothing of them. */
  Map<TopicPartition, Long> ofNewTopics(
      Consumer<?, ?> client, Collection<TopicPartition> partitions) {
    if (partitions.isEmpty()) {
      return Map.of();
    }
    LOG.warn(
        "Topics were deleted and made anew: group '{}' reads {} from the beginning.",
        group,
        partitions);
    return client.beginningOffsets(partitions, config.timeout());
  }
}
