package io.posthorn.kafka;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Source;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Uuid;

/**
 * Receives from Kafka topics as a member of a consumer group. Order holds within a partition. The
 * source alone commits offsets, and only after their messages were handled.
 */
public final class KafkaSource implements Source {
  /** The header that marks a message received without a value; its payload is empty. */
  public static final String TOMBSTONE = "kafka-tombstone";

  private final KafkaSourceConfig config;

  // The topics that each group has read. A feed ends when its topic is missing; this map stays.
  private final Map<String, Map<String, Uuid>> read = new ConcurrentHashMap<>();

  public KafkaSource(KafkaSourceConfig config) {
    this.config = config;
  }

  @Override
  public String name() {
    return "Kafka " + String.join(", ", config.topics()) + " at " + config.servers();
  }

  @Override
  public Feed open(String consumer) {
    String group = config.groupOf(consumer);
    Map<String, Uuid> topics = read.computeIfAbsent(group, first -> new ConcurrentHashMap<>());
    return new KafkaFeed(config, name(), group, topics);
  }

  @Override
  public List<Finding> check(String consumer) {
    return SourceCheck.findings(config, config.groupOf(consumer));
  }
}
