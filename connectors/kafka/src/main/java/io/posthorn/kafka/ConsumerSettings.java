package io.posthorn.kafka;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The settings of the Kafka consumer.
 *
 * <p>The source sets everything explicitly that safety rests on. Only an acknowledgement commits,
 * messages of aborted transactions are not read, and a lost position is an error: the consumer
 * never jumps silently to the end of the topic.
 *
 * <p>Rebalancing is cooperative: a member of the group gives up single partitions instead of all of
 * them at each change, so a feed that keeps a partition keeps its unacknowledged messages. The
 * classic protocol is the default because all brokers support it. Brokers from 4.0 on also accept
 * {@code group.protocol=consumer}.
 */
final class ConsumerSettings {
  private static final Set<String> OURS =
      Set.of(
          ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

  private ConsumerSettings() {}

  static Map<String, Object> of(KafkaSourceConfig config, String group) {
    return of(config.servers(), group, config.clientSettings().get());
  }

  private static Map<String, Object> of(String servers, String group, Map<String, String> more) {
    Map<String, Object> settings = new HashMap<>();
    settings.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500");
    settings.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, Integer.toString(16 << 20));
    // Recreated topics and added partitions are found within this time.
    settings.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, "30000");
    settings.putAll(more);
    if (!"consumer".equalsIgnoreCase(more.get(ConsumerConfig.GROUP_PROTOCOL_CONFIG))) {
      settings.put(
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          CooperativeStickyAssignor.class.getName());
    }
    settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    settings.put(ConsumerConfig.GROUP_ID_CONFIG, group);
    settings.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    settings.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    settings.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    settings.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
    return settings;
  }

  static Map<String, Object> ofAdmin(KafkaSourceConfig config) {
    Map<String, Object> settings = of(config, "none");
    settings.keySet().retainAll(AdminClientConfig.configNames());
    String half = Long.toString(config.timeout().toMillis() / 2);
    settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, half);
    settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, half);
    return settings;
  }

  static List<String> problems(String servers, Map<String, String> more) {
    List<String> problems = new ArrayList<>();
    more.keySet().stream()
        .filter(OURS::contains)
        .sorted()
        .forEach(name -> problems.add("client: " + name + " is set by the source"));
    Map<String, String> settings = new HashMap<>();
    of(servers, "none", more).forEach((name, value) -> settings.put(name, value.toString()));
    String bytes = ByteArrayDeserializer.class.getName();
    settings.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, bytes);
    settings.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, bytes);
    for (ConfigValue checked : ConsumerConfig.configDef().validate(settings)) {
      checked.errorMessages().forEach(message -> problems.add("client: " + message));
    }
    return problems;
  }
}
