package io.posthorn.rabbitmq;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Source;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Receives from one queue. All feeds of all consumers share its messages; a consumer that needs a
 * copy of every message needs a queue of its own. The source never hands a message back with a
 * nack, because brokers count nacks and drop messages returned too often.
 */
public final class RabbitMqSource implements Source {
  private final RabbitMqSourceConfig config;
  private final DeliveryCounts deliveryCounts = new DeliveryCounts();

  public RabbitMqSource(RabbitMqSourceConfig config) {
    this.config = config;
  }

  @Override
  public String name() {
    return "RabbitMQ queue "
        + config.queue()
        + " at "
        + config.brokers().stream()
            .map(RabbitMqConfig.Broker::host)
            .collect(Collectors.joining(", "));
  }

  @Override
  public Feed open(String consumer) {
    return new RabbitMqFeed(config, name(), consumer, deliveryCounts);
  }

  @Override
  public List<Finding> check(String consumer) {
    return new SourceCheck(config, deliveryCounts).findings();
  }
}
