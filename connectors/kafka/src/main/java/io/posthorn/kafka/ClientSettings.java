package io.posthorn.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.security.plain.PlainLoginModule;
import org.apache.kafka.common.security.scram.ScramLoginModule;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The settings of the Kafka producer and admin client.
 *
 * <p>The connector sets everything explicitly that safe and timely delivery rests on. Kafka
 * silently turns idempotence off when another setting conflicts with it.
 *
 * <p>A send may take the whole timeout. A quarter is for starting and for checking the topic, a
 * quarter for learning the topic's partitions, and half for the acknowledgement, within which the
 * client may try twice.
 */
final class ClientSettings {
  private static final Set<String> OURS =
      Set.of(
          ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
          ProducerConfig.ACKS_CONFIG,
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
          ProducerConfig.RETRIES_CONFIG,
          ProducerConfig.TRANSACTIONAL_ID_CONFIG,
          ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.MAX_BLOCK_MS_CONFIG,
          ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG,
          ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);

  private ClientSettings() {}

  /** How long a send may take until the client has accepted the message. */
  static Duration starting(Duration timeout) {
    return timeout.dividedBy(4);
  }

  static Map<String, Object> ofProducer(KafkaConfig config) {
    return ofProducer(config.servers(), config.timeout(), config.clientSettings().get());
  }

  private static Map<String, Object> ofProducer(
      String servers, Duration timeout, Map<String, String> more) {
    Map<String, Object> settings = new HashMap<>();
    // The producer lingers only while there is much to send: see SendingClient.
    settings.put(ProducerConfig.LINGER_MS_CONFIG, Long.toString(linger(timeout)));
    // While no broker answers, the client's own search for moved brokers fills the log. A client
    // that finds no broker is replaced instead.
    settings.put(CommonClientConfigs.METADATA_RECOVERY_STRATEGY_CONFIG, "none");
    settings.putAll(more);
    settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    settings.put(ProducerConfig.ACKS_CONFIG, "all");
    settings.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    settings.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "5");
    settings.put(ProducerConfig.RETRIES_CONFIG, Integer.toString(Integer.MAX_VALUE));
    settings.put(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, "false");
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, millis(starting(timeout)));
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, millis(timeout.dividedBy(4)));
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, millis(timeout.dividedBy(2)));
    return settings;
  }

  private static long linger(Duration timeout) {
    return Math.min(5, timeout.dividedBy(8).toMillis());
  }

  static Map<String, Object> ofAdmin(KafkaConfig config) {
    Map<String, Object> settings = ofProducer(config);
    settings.keySet().retainAll(AdminClientConfig.configNames());
    settings.remove(ProducerConfig.RETRIES_CONFIG);
    settings.put(
        AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, millis(config.timeout().dividedBy(2)));
    return settings;
  }

  static List<String> problems(String servers, Duration timeout, Map<String, String> more) {
    List<String> problems = new ArrayList<>();
    more.keySet().stream()
        .filter(OURS::contains)
        .sorted()
        .forEach(name -> problems.add("client: " + name + " is set by the connector"));
    Map<String, String> settings = new HashMap<>();
    ofProducer(servers, timeout, more)
        .forEach((name, value) -> settings.put(name, value.toString()));
    settings.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    settings.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    for (ConfigValue checked : ProducerConfig.configDef().validate(settings)) {
      checked.errorMessages().forEach(message -> problems.add("client: " + message));
      if (checked.name().equals(ProducerConfig.LINGER_MS_CONFIG)
          && checked.value() instanceof Long linger
          && linger > timeout.dividedBy(4).toMillis()) {
        problems.add(
            "client: linger.ms is %d ms, more than a quarter of the timeout".formatted(linger));
      }
    }
    return problems;
  }

  static Map<String, String> plain(String user, String password) {
    return login("PLAIN", PlainLoginModule.class, user, password);
  }

  static Map<String, String> scram(String user, String password) {
    return login("SCRAM-SHA-512", ScramLoginModule.class, user, password);
  }

  private static Map<String, String> login(
      String mechanism, Class<?> module, String user, String password) {
    return Map.of(
        "security.protocol",
        "SASL_SSL",
        SaslConfigs.SASL_MECHANISM,
        mechanism,
        SaslConfigs.SASL_JAAS_CONFIG,
        "%s required username=%s password=%s;"
            .formatted(module.getName(), quoted(user), quoted(password)));
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static String millis(Duration duration) {
    return Long.toString(Math.max(1, duration.toMillis()));
  }
}
