package io.posthorn.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Distinguishes a topic from another topic of the same name.
 *
 * <p>When a topic is deleted and recreated, its offsets start again at 0, but the client continues
 * at the old ones. All messages sent before the new topic reaches those offsets would be lost
 * unnoticed. The topic's id is therefore checked regularly, and committed beside each position.
 */
final class TopicIds implements AutoCloseable {
  /** The prefix of the metadata that Posthorn commits; other programs may write metadata too. */
  private static final String MARK = "posthorn topic ";

  private final Admin admin;
  private final Duration timeout;
  private final Map<String, Uuid> known = new HashMap<>();

  /** The topics in which this group has positions, or will have; shared by all its feeds. */
  private final Map<String, Uuid> read;

  TopicIds(KafkaSourceConfig config, Map<String, Uuid> read) {
    this.admin = Admin.create(ConsumerSettings.ofAdmin(config));
    this.timeout = config.timeout();
    this.read = read;
  }

  /** Adds to each position the id that its topic had when it was last checked. */
  Map<TopicPartition, OffsetAndMetadata> marked(Map<TopicPartition, Long> positions) {
    Map<TopicPartition, OffsetAndMetadata> marked = new HashMap<>();
    positions.forEach(
        (partition, offset) -> {
          Uuid id = known.get(partition.topic());
          marked.put(partition, new OffsetAndMetadata(offset, id == null ? "" : MARK + id));
        });
    return marked;
  }

  /** Reads the topics' current ids. Throws if a topic is missing or a request fails. */
  Map<String, Uuid> currentIds(Collection<String> topics) {
    Map<String, Uuid> seen = new HashMap<>();
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(topics).topicNameValues();
    answers.forEach((topic, answer) -> seen.put(topic, await(answer).topicId()));
    return seen;
  }

  /** Returns the partitions whose topic is no longer the one last remembered. */
  Set<TopicPartition> changed(Collection<TopicPartition> partitions, Map<String, Uuid> seen) {
    Set<TopicPartition> changed = new HashSet<>(partitions);
    changed.removeIf(
        partition -> {
          Uuid before = known.get(partition.topic());
          return before == null || before.equals(seen.get(partition.topic()));
        });
    return changed;
  }

  /** Returns whether a position was committed in another topic of the same name. */
  static boolean isOfAnother(
      TopicPartition partition, OffsetAndMetadata point, Map<String, Uuid> seen) {
    return point.metadata().startsWith(MARK)
        && !point.metadata().equals(MARK + seen.get(partition.topic()));
  }

  /** Remembers these ids. Call it only after acting on a change: until then it is one. */
  void remember(Map<String, Uuid> seen) {
    known.putAll(seen);
    seen.forEach(read::putIfAbsent);
  }

  /** Marks the topics as begun; before this commit, the group's start could still be lost. */
  void committed(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Uuid id = known.get(partition.topic());
      if (id != null) {
        read.put(partition.topic(), id);
      }
    }
  }

  /** Returns whether this program's feeds have read another topic of the same name. */
  boolean wasAnother(String topic) {
    Uuid before = read.get(topic);
    return before != null && !before.equals(currentIds(List.of(topic)).get(topic));
  }

  private <T> T await(KafkaFuture<T> answer) {
    try {
      return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof KafkaException thrown ? thrown : new KafkaException(e);
    } catch (TimeoutException e) {
      throw new org.apache.kafka.common.errors.TimeoutException("no broker answered in time");
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ZERO);
  }
}
