package io.posthorn.kafka;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.connector.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.jspecify.annotations.Nullable;

/** Checks whether messages could be received now, and whether some are lost unnoticed. */
final class SourceCheck {
  static final String VANISHED = "VANISHED";
  static final String SHORT_RETENTION = "SHORT_RETENTION";
  static final String COMPACTED = "COMPACTED";

  private static final Duration DAY = Duration.ofDays(1);

  private final KafkaSourceConfig config;
  private final String group;
  private final Admin admin;
  private final long until;
  private final List<Finding> findings = new ArrayList<>();

  private SourceCheck(KafkaSourceConfig config, String group, Admin admin) {
    this.config = config;
    this.group = group;
    this.admin = admin;
    this.until = System.nanoTime() + config.timeout().toNanos();
  }

  static List<Finding> findings(KafkaSourceConfig config, String group) {
    try (Admin admin = Admin.create(ConsumerSettings.ofAdmin(config))) {
      SourceCheck check = new SourceCheck(config, group, admin);
      check.run();
      return List.copyOf(check.findings);
    } catch (RuntimeException e) {
      return List.of(Finding.problem(reason(e)));
    }
  }

  private void run() {
    try {
      Map<TopicPartition, OffsetSpec> partitions = new HashMap<>();
      for (String topic : config.topics()) {
        TopicDescription description = describe(topic);
        description
            .partitions()
            .forEach(
                one ->
                    partitions.put(
                        new TopicPartition(topic, one.partition()), OffsetSpec.earliest()));
        checkSettings(topic);
      }
      checkGroup();
      checkPositions(partitions);
    } catch (ExecutionException e) {
      findings.add(Finding.problem(reason(e.getCause() == null ? e : e.getCause())));
    } catch (TimeoutException e) {
      findings.add(Finding.problem(Reason.of(Reason.TIMEOUT, "no broker answered in time")));
    }
  }

  private TopicDescription describe(String topic) throws ExecutionException, TimeoutException {
    TopicDescription description =
        AdminAnswers.await(
            admin
                .describeTopics(
                    List.of(topic), new DescribeTopicsOptions().includeAuthorizedOperations(true))
                .topicNameValues()
                .get(topic),
            until);
    reportIfDenied(description.authorizedOperations(), "topic '" + topic + "'");
    value("partitions of " + topic, description.partitions().size());
    return description;
  }

  private void reportIfDenied(@Nullable Set<AclOperation> allowed, String what) {
    if (allowed != null && !allowed.contains(AclOperation.READ)) {
      findings.add(
          Finding.problem(
              Reason.of(Reason.ACCESS_DENIED, "this program has no right to read " + what + ".")));
    }
  }

  /** Skipped if this program has no right to read the topic's settings; it does not need one. */
  private void checkSettings(String topic) throws ExecutionException, TimeoutException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    try {
      Config settings =
          AdminAnswers.await(admin.describeConfigs(List.of(resource)).all(), until).get(resource);
      if (settings != null) {
        checkSettings(topic, settings);
      }
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof AuthorizationException)) {
        throw e;
      }
      findings.add(
          Finding.value(
              "retention of " + topic, "not checked: this program has no right to see it"));
    }
  }

  private void checkSettings(String topic, Config settings) {
    String cleanup = setting(settings, TopicConfig.CLEANUP_POLICY_CONFIG, "delete");
    if (cleanup.contains("compact")) {
      findings.add(
          Finding.value(
              COMPACTED,
              "topic '"
                  + topic
                  + "' keeps only the newest message of each key, so older ones may never be received."));
    }
    if (!cleanup.contains("delete")) {
      return;
    }
    long millis = Long.parseLong(setting(settings, TopicConfig.RETENTION_MS_CONFIG, "-1"));
    if (millis >= 0 && millis < DAY.toMillis()) {
      findings.add(
          Finding.value(
              SHORT_RETENTION,
              "topic '%s' keeps messages for only %s: messages that this consumer has not received by then are lost."
                  .formatted(topic, Duration.ofMillis(millis))));
    }
    long bytes = Long.parseLong(setting(settings, TopicConfig.RETENTION_BYTES_CONFIG, "-1"));
    if (bytes >= 0) {
      findings.add(
          Finding.value(
              SHORT_RETENTION,
              "topic '%s' keeps %,d bytes per partition and deletes older messages, even if no consumer has received them."
                  .formatted(topic, bytes)));
    }
  }

  private static String setting(Config settings, String name, String usual) {
    ConfigEntry entry = settings.get(name);
    return entry == null || entry.value() == null ? usual : entry.value();
  }

  private void checkGroup() throws ExecutionException, TimeoutException {
    try {
      var description =
          AdminAnswers.await(
              admin
                  .describeConsumerGroups(
                      List.of(group),
                      new DescribeConsumerGroupsOptions().includeAuthorizedOperations(true))
                  .describedGroups()
                  .get(group),
              until);
      reportIfDenied(description.authorizedOperations(), "as group '" + group + "'");
      value("members of " + group, description.members().size());
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof GroupIdNotFoundException)) {
        throw e;
      }
      value("members of " + group, 0);
    }
  }

  private void checkPositions(Map<TopicPartition, OffsetSpec> partitions)
      throws ExecutionException, TimeoutException {
    Map<TopicPartition, OffsetAndMetadata> committed =
        AdminAnswers.await(
            admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata(), until);
    Map<TopicPartition, ListOffsetsResultInfo> oldest =
        AdminAnswers.await(admin.listOffsets(partitions).all(), until);
    boolean known = false;
    for (Map.Entry<TopicPartition, ListOffsetsResultInfo> entry : oldest.entrySet()) {
      OffsetAndMetadata position = committed.get(entry.getKey());
      known |= position != null;
      if (position != null && position.offset() < entry.getValue().offset()) {
        findings.add(
            Finding.problem(
                Reason.of(
                    VANISHED,
                    "up to %d messages of %s were deleted before group '%s' had read them: its position is %d, the oldest message now is %d. Check the topic's retention."
                        .formatted(
                            entry.getValue().offset() - position.offset(),
                            entry.getKey(),
                            group,
                            position.offset(),
                            entry.getValue().offset()))));
      }
    }
    if (!known) {
      findings.add(
          Finding.value(
              "startAt",
              "group '%s' has never read; it will begin with the %s message in the topic."
                  .formatted(
                      group,
                      config.startAt() == KafkaSourceConfig.Start.EARLIEST ? "oldest" : "next")));
    }
  }

  private void value(String name, int value) {
    findings.add(Finding.value(name, Integer.toString(value)));
  }

  private static Reason reason(Throwable thrown) {
    return new ClientFailures(true).outcome(thrown) instanceof Outcome.Unavailable unavailable
        ? unavailable.reason()
        : Reason.of(Reason.UNKNOWN, thrown);
  }
}
