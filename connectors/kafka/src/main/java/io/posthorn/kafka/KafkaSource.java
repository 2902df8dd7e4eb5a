package io.posthorn.kafka;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Source;
import java.util.List;

/**
 * Receives from Kafka topics as a member of a consumer group. Order holds within a partition.
 * Offsets are committed after messages were handled, never before, and by nobody else.
 */
public final class KafkaSource implements Source {
  /** The header of a message that came without a value; its payload is empty. */
  public static final String TOMBSTONE = "kafka-tombstone";

  private final KafkaSourceConfig config;

  public KafkaSource(KafkaSourceConfig config) {
    this.config = config;
  }

  @Override
  public String name() {
    return "Kafka " + String.join(", ", config.topics()) + " at " + config.servers();
  }

  @Override
  public Feed open(String consumer) {
    return new KafkaFeed(config, name(), config.groupOf(consumer));
  }

  @Override
  public List<Finding> check(String consumer) {
    return SourceCheck.findings(config, config.groupOf(consumer));
  }
}
