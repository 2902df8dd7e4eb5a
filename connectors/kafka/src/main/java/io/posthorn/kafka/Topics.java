package io.posthorn.kafka;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Checks that topics exist before the producer uses them. The producer would create a missing topic
 * wherever the brokers allow it.
 */
final class Topics {
  private final KafkaConfig config;
  private final Admin admin;
  private final Set<String> known = ConcurrentHashMap.newKeySet();

  Topics(KafkaConfig config, Admin admin) {
    this.config = config;
    this.admin = admin;
  }

  /** Returns the topics that cannot be used, with the reason. Waits until this nano time. */
  Map<String, Throwable> missing(Set<String> topics, long until) {
    Set<String> asked = new LinkedHashSet<>(topics);
    asked.removeAll(known);
    Map<String, Throwable> missing = new HashMap<>();
    if (asked.isEmpty()) {
      return missing;
    }
    Map<String, KafkaFuture<TopicDescription>> answers =
        admin.describeTopics(asked).topicNameValues();
    for (String topic : asked) {
      Throwable problem = problem(answers.get(topic), until);
      if (problem instanceof UnknownTopicOrPartitionException && config.newTopic() != null) {
        problem = create(topic, config.newTopic(), until);
      }
      if (problem == null) {
        known.add(topic);
      } else {
        missing.put(topic, problem);
      }
    }
    return missing;
  }

  /** Checks the topic again before the next message for it: it may have been deleted. */
  void forget(String topic) {
    known.remove(topic);
  }

  private @Nullable Throwable create(String topic, KafkaConfig.TopicShape shape, long until) {
    NewTopic made =
        new NewTopic(topic, Optional.of(shape.partitions()), Optional.of(shape.replicas()));
    Throwable problem = problem(admin.createTopics(List.of(made)).values().get(topic), until);
    return problem instanceof TopicExistsException ? null : problem;
  }

  private static @Nullable Throwable problem(@Nullable KafkaFuture<?> answer, long until) {
    try {
      if (answer != null) {
        answer.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      }
      return null;
    } catch (ExecutionException e) {
      return e.getCause() == null ? e : e.getCause();
    } catch (TimeoutException e) {
      return new TimeoutException("no broker answered in time");
    } catch (InterruptedException e) {
      return new InterruptException(e);
    }
  }
}
