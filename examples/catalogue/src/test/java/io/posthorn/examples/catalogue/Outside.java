package io.posthorn.examples.catalogue;

import io.posthorn.test.EmbeddedDatabase;
import io.posthorn.testservers.EmbeddedKafka;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** What the application talks to: a real database and a real Kafka, with a bad road in between. */
final class Outside {
  private final EmbeddedDatabase database = EmbeddedDatabase.empty();
  private final EmbeddedKafka kafka = EmbeddedKafka.builder().start();
  private final BadRoad road;

  private Outside() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
      admin
          .createTopics(
              Stream.of(
                      "shop.ProductPriceChanged",
                      "shop.OrderStarted",
                      "baskets.ProductPriceChanged",
                      "baskets.OrderStarted")
                  .map(topic -> new NewTopic(topic, 1, (short) 1))
                  .toList())
          .all()
          .get();
    }
    road = new BadRoad(kafka.bootstrapServers());
  }

  static Outside start() {
    try {
      return new Outside();
    } catch (Exception e) {
      throw new IllegalStateException("the servers did not start", e);
    }
  }

  /** Where the application finds them. */
  Map<String, Object> properties() {
    return Map.of(
        "spring.datasource.url",
        database.jdbcUrl(),
        "spring.kafka.bootstrap-servers",
        kafka.bootstrapServers(),
        "posthorn.sources.prices.kafka.topics",
        "baskets.ProductPriceChanged",
        "posthorn.sources.orders.kafka.topics",
        "baskets.OrderStarted");
  }

  BadRoad road() {
    return road;
  }
}
