package io.posthorn.kafka;

import io.posthorn.testservers.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.awaitility.Awaitility;

/** The broker that all tests of this JVM share, and its administration. */
final class Broker {
  static final EmbeddedKafka KAFKA = EmbeddedKafka.builder().start();

  private static final Admin ADMIN = admin(KAFKA);

  private Broker() {}

  static Admin admin(EmbeddedKafka kafka) {
    return Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()));
  }

  /** Returns a new topic name each time; no topic has it yet. */
  static String topicName() {
    return "t-" + UUID.randomUUID();
  }

  static String topic() {
    String name = topicName();
    create(name, Map.of());
    return name;
  }

  /** Creates a topic with four partitions. */
  static void create(String topic, Map<String, String> settings) {
    create(ADMIN, topic, settings);
  }

  static void create(Admin admin, String topic, Map<String, String> settings) {
    // The deletion of a topic of this name may not be complete yet.
    done(
        () ->
            admin.createTopics(List.of(new NewTopic(topic, 4, (short) 1).configs(settings))).all());
    // The controller has the topic, but the broker may not have received it yet.
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .ignoreException(ExecutionException.class)
        .until(() -> led(admin, topic));
  }

  private static boolean led(Admin admin, String topic)
      throws ExecutionException, InterruptedException {
    return admin
        .describeTopics(List.of(topic))
        .topicNameValues()
        .get(topic)
        .get()
        .partitions()
        .stream()
        .allMatch(partition -> partition.leader() != null && !partition.leader().isEmpty());
  }

  static void delete(String topic) {
    done(() -> ADMIN.deleteTopics(List.of(topic)).all());
  }

  static boolean exists(Admin admin, String topic) {
    try {
      return admin.listTopics().names().get().contains(topic);
    } catch (ExecutionException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static boolean exists(String topic) {
    return exists(ADMIN, topic);
  }

  static void done(Supplier<KafkaFuture<?>> change) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .ignoreException(ExecutionException.class)
        .until(
            () -> {
              change.get().get();
              return true;
            });
  }
}
