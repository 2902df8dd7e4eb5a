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
 * Tells a topic from another one of the same name. When a topic is deleted and made anew, its
 * numbers begin again, and the client goes on at the old ones: all that was sent before the new
 * topic has reached them would vanish unseen. So the id of the topic is looked at now and then, and
 * stands beside each position that is committed.
 */
final class TopicIds implements AutoCloseable {
  /** Others may have written something else there. */
  private static final String MARK = "posthorn topic ";

  private final Admin admin;
  private final Duration timeout;
  private final Map<String, Uuid> known = new HashMap<>();

  /** What all feeds of this group and program know: where it has positions, or will have them. */
  private final Map<String, Uuid> read;

  TopicIds(KafkaSourceConfig config, Map<String, Uuid> read) {
    this.admin = Admin.create(ConsumerSettings.ofAdmin(config));
    this.timeout = config.timeout();
    this.read = read;
  }

  /** These positions, each with the id of its topic as it was remembered last. */
  Map<TopicPartition, OffsetAndMetadata> marked(Map<TopicPartition, Long> positions) {
    Map<TopicPartition, OffsetAndMetadata> marked = new HashMap<>();
    positions.forEach(
        (partition, offset) -> {
          Uuid id = known.get(partition.topic());
          marked.put(partition, new OffsetAndMetadata(offset, id == null ? "" : MARK + id));
        });
    return marked;
  }

  /** Throws if one is missing, or they cannot be looked at. */
  Map<String, Uuid> look(Collection<String> topics) {
    Map<String, Uuid> seen = new HashMap<>();
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(topics).topicNameValues();
    answers.forEach((topic, answer) -> seen.put(topic, got(answer).topicId()));
    return seen;
  }

  /** Those of these partitions whose topic is another one than before. */
  Set<TopicPartition> changed(Collection<TopicPartition> partitions, Map<String, Uuid> seen) {
    Set<TopicPartition> changed = new HashSet<>(partitions);
    changed.removeIf(
        partition -> {
          Uuid before = known.get(partition.topic());
          return before == null || before.equals(seen.get(partition.topic()));
        });
    return changed;
  }

  /** Whether a position was committed in another topic of this name. */
  static boolean isOfAnother(
      TopicPartition partition, OffsetAndMetadata point, Map<String, Uuid> seen) {
    return point.metadata().startsWith(MARK)
        && !point.metadata().equals(MARK + seen.get(partition.topic()));
  }

  /** To be called when the change has been acted upon: until then it is one. */
  void remember(Map<String, Uuid> seen) {
    known.putAll(seen);
    seen.forEach(read::putIfAbsent);
  }

  /** Only now has the group begun with the topics as they are: before, it could still be lost. */
  void committed(Collection<TopicPartition> partitions) {
    for (TopicPartition partition : partitions) {
      Uuid id = known.get(partition.topic());
      if (id != null) {
        read.put(partition.topic(), id);
      }
    }
  }

  /** Whether this program's feeds have read another topic of this name. */
  boolean wasAnother(String topic) {
    Uuid before = read.get(topic);
    return before != null && !before.equals(look(List.of(topic)).get(topic));
  }

  private <T> T got(KafkaFuture<T> answer) {
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
