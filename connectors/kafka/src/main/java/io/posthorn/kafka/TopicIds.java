package io.posthorn.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Tells a topic from another one of the same name. When a topic is deleted and made anew, its
 * numbers begin again, and the client goes on at the old ones: all that was sent before the new
 * topic has reached them would vanish unseen. So the id of the topic is looked at now and then, and
 * stands beside each position that is committed.
 */
final class TopicIds implements AutoCloseable {
  private final Admin admin;
  private final Duration timeout;
  private final Map<String, Uuid> known = new HashMap<>();

  TopicIds(KafkaSourceConfig config) {
    this.admin = Admin.create(ConsumerSettings.ofAdmin(config));
    this.timeout = config.timeout();
  }

  /** The id as it was at the last look; empty if there was none. */
  String of(String topic) {
    Uuid id = known.get(topic);
    return id == null ? "" : id.toString();
  }

  /**
   * Looks at the topics.
   *
   * @return whether these are others than those of the last look, by name
   * @throws KafkaException if one is missing, or they cannot be looked at
   */
  Map<String, Boolean> look(Collection<String> topics) {
    Map<String, Boolean> changed = new HashMap<>();
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(topics).topicNameValues();
    answers.forEach(
        (topic, answer) -> {
          Uuid id = got(answer).topicId();
          Uuid before = known.put(topic, id);
          changed.put(topic, before != null && !before.equals(id));
        });
    return changed;
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
