package io.posthorn.kafka;

import io.posthorn.core.error.Sanitiser;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where reading begins in a partition where the group has no position, or one that is gone. */
final class Starts {
  private static final Logger LOG = LoggerFactory.getLogger(Starts.class);

  private final KafkaSourceConfig config;
  private final String group;

  /**
   * How many partitions there were at first: what was added since is new to the group as a whole.
   */
  private final Map<String, Integer> known = new HashMap<>();

  Starts(KafkaSourceConfig config, String group) {
    this.config = config;
    this.group = group;
  }

  /** As soon as there is an assignment: later there may be more partitions. */
  void remember(Consumer<?, ?> client, Collection<TopicPartition> partitions) {
    try {
      partitions.forEach(partition -> atFirst(client, partition.topic()));
    } catch (InterruptException e) {
      throw e;
    } catch (KafkaException e) {
      LOG.debug("Group '{}': partitions not counted yet: {}", group, Sanitiser.text(e));
    }
  }

  private int atFirst(Consumer<?, ?> client, String named) {
    return known.computeIfAbsent(
        named, topic -> client.partitionsFor(topic, config.timeout()).size());
  }

  Map<TopicPartition, Long> first(Consumer<?, ?> client, Collection<TopicPartition> partitions) {
    Map<TopicPartition, Long> found = new HashMap<>();
    for (TopicPartition partition : partitions) {
      int atFirst = atFirst(client, partition.topic());
      boolean added = partition.partition() >= atFirst;
      Collection<TopicPartition> one = List.of(partition);
      found.putAll(
          config.start() == KafkaSourceConfig.Start.EARLIEST || added
              ? client.beginningOffsets(one, config.timeout())
              : client.endOffsets(one, config.timeout()));
    }
    return found;
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
