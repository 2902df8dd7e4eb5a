package io.posthorn.kafka;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.jspecify.annotations.Nullable;

/** Checks whether messages could be sent now, with a client and credentials of its own. */
final class ClusterCheck {
  private static final String DEFAULT_REQUEST_BYTES = "1048576";

  private final KafkaConfig config;
  private final ClientFailures failures;
  private final long until;
  private final List<Finding> findings = new ArrayList<>();

  private ClusterCheck(KafkaConfig config, ClientFailures failures) {
    this.config = config;
    this.failures = failures;
    this.until = System.nanoTime() + config.timeout().toNanos();
  }

  static List<Finding> findings(KafkaConfig config, ClientFailures failures) {
    ClusterCheck check = new ClusterCheck(config, failures);
    check.run();
    return List.copyOf(check.findings);
  }

  private void run() {
    Admin admin = null;
    try {
      admin = Admin.create(ClientSettings.ofAdmin(config));
      value("brokers", AdminAnswers.await(admin.describeCluster().nodes(), until).size());
      if (config.topic().isFixed()) {
        checkTopic(config.topic().template(), admin);
      }
    } catch (ExecutionException e) {
      problem(e.getCause() == null ? e : e.getCause());
    } catch (TimeoutException | RuntimeException e) {
      problem(e);
    } finally {
      if (admin != null) {
        admin.close(Duration.ZERO);
      }
    }
  }

  private void checkTopic(String topic, Admin admin) throws ExecutionException, TimeoutException {
    Throwable missing = new Topics(config, admin).missing(Set.of(topic), until).get(topic);
    if (missing != null) {
      problem(missing);
      return;
    }
    TopicDescription description =
        AdminAnswers.await(
            admin
                .describeTopics(
                    List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .topicNameValues()
                .get(topic),
            until);
    Set<AclOperation> allowed = description.authorizedOperations();
    if (allowed != null && !allowed.contains(AclOperation.WRITE)) {
      String text = "this program has no right to write to topic '%s'".formatted(topic);
      findings.add(Finding.problem(Reason.of(Reason.ACCESS_DENIED, text)));
    }
    value("partitions", description.partitions().size());
    value("replicas", description.partitions().get(0).replicas().size());
    Config limits = limits(topic, admin);
    if (limits != null) {
      value("minInSyncReplicas", limit(limits, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG));
      value(
          "maxMessageBytes",
          Math.min(limit(limits, TopicConfig.MAX_MESSAGE_BYTES_CONFIG), maxRequestBytes()));
    }
  }

  /**
   * Returns null if this program has no right to read the topic's settings; it does not need one.
   */
  private @Nullable Config limits(String topic, Admin admin)
      throws ExecutionException, TimeoutException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try {
      Map<ConfigResource, Config> all =
          AdminAnswers.await(admin.describeConfigs(List.of(resource)).all(), until);
      return all.get(resource);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AuthorizationException) {
        return null;
      }
      throw e;
    }
  }

  private static int limit(Config limits, String name) {
    ConfigEntry entry = limits.get(name);
    return entry == null ? Integer.MAX_VALUE : Integer.parseInt(entry.value());
  }

  private int maxRequestBytes() {
    return Integer.parseInt(
        config
            .clientSettings()
            .get()
            .getOrDefault(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, DEFAULT_REQUEST_BYTES));
  }

  private void value(String name, int value) {
    findings.add(Finding.value(name, Integer.toString(value)));
  }

  private void problem(Throwable thrown) {
    Outcome outcome = failures.outcome(thrown);
    findings.add(
        Finding.problem(
            outcome instanceof Outcome.Unavailable unavailable
                ? unavailable.reason()
                : Reason.of(Reason.UNKNOWN, thrown)));
  }
}
