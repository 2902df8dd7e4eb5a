package io.posthorn.kafka;

import io.posthorn.core.source.Received;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The partitions assigned to one feed, and the records received from them but not yet polled. */
final class HeldPartitions {
  private final Map<TopicPartition, HeldPartition> held = new HashMap<>();
  private final Deque<ConsumerRecord<byte @Nullable [], byte @Nullable []>> waiting =
      new ArrayDeque<>();

  boolean isEmpty() {
    return held.isEmpty();
  }

  boolean isNothingWaiting() {
    return waiting.isEmpty();
  }

  Set<TopicPartition> partitions() {
    return Set.copyOf(held.keySet());
  }

  void add(Collection<TopicPartition> partitions) {
    partitions.forEach(partition -> held.put(partition, new HeldPartition()));
  }

  /** Restarts the partition at this offset; records received from it earlier are dropped. */
  void startAt(TopicPartition partition, long offset) {
    drop(Set.of(partition));
    held.put(partition, HeldPartition.startingAt(offset));
  }

  void drop(Collection<TopicPartition> partitions) {
    held.keySet().removeAll(partitions);
    waiting.removeIf(found -> partitions.contains(partitionOf(found)));
  }

  void clear() {
    held.clear();
    waiting.clear();
  }

  void addRecords(Iterable<ConsumerRecord<byte @Nullable [], byte @Nullable []>> records) {
    records.forEach(waiting::add);
  }

  List<Received> take(int most, RecordReader reader) {
    List<Received> taken = new ArrayList<>();
    while (taken.size() < most && !waiting.isEmpty()) {
      ConsumerRecord<byte @Nullable [], byte @Nullable []> found = waiting.remove();
      HeldPartition holding = held.get(partitionOf(found));
      if (holding != null) {
        taken.add(reader.of(found, holding.handOut(found.offset())));
      }
    }
    return taken;
  }

  boolean owns(Received received) {
    return received.place() instanceof HeldPartition.Place place
        && held.containsValue(place.holding());
  }

  void done(List<Received> done) {
    for (Received received : done) {
      if (owns(received) && received.place() instanceof HeldPartition.Place place) {
        place.holding().done(place.offset());
      }
    }
  }

  Map<TopicPartition, Long> toCommit() {
    Map<TopicPartition, Long> points = new HashMap<>();
    held.forEach(
        (partition, holding) ->
            holding.toCommit().ifPresent(offset -> points.put(partition, offset)));
    return points;
  }

  void committed(Map<TopicPartition, Long> points) {
    points.forEach(
        (partition, offset) -> {
          HeldPartition holding = held.get(partition);
          if (holding != null) {
            holding.committed(offset);
          }
        });
  }

  private static TopicPartition partitionOf(ConsumerRecord<?, ?> found) {
    return new TopicPartition(found.topic(), found.partition());
  }
}
