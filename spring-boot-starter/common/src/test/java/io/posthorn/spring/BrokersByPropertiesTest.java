package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import com.sun.net.httpserver.HttpServer;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.EmbeddedRabbitMq;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Destinations and sources from properties alone, with real brokers. */
class BrokersByPropertiesTest {
  private static final List<String> SEEN = new CopyOnWriteArrayList<>();

  @OutboxMessage
  record Paid(@MessageKey("order") String order, int total) {}

  @Configuration
  @EnableAutoConfiguration
  static class Shop {
    @Bean
    Books books() {
      return new Books();
    }
  }

  static class Books {
    @MessageHandler(consumer = "books", source = "payments")
    void note(Paid paid, Handling handling) {
      SEEN.add("%s %d from %s".formatted(paid.order(), paid.total(), handling.sender()));
    }
  }

  @Configuration
  @EnableAutoConfiguration
  static class Sender {}

  @BeforeEach
  void empty() {
    SEEN.clear();
  }

  @Test
  void a_message_goes_through_kafka_with_the_applications_own_settings() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.builder().start()) {
      try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrapServers()))) {
        admin.createTopics(List.of(new NewTopic("shop.Paid", 2, (short) 1))).all().get();
      }
      try (App app =
          App.start(
              Shop.class,
              "spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
              "posthorn.destinations.payments.types=Paid",
              "posthorn.destinations.payments.kafka.topic=shop.{type}",
              "posthorn.destinations.payments.max-in-flight=10",
              "posthorn.destinations.payments.start-at=earliest",
              "posthorn.sources.payments.kafka.topics=shop.Paid",
              "posthorn.sources.payments.kafka.start-at=earliest",
              "posthorn.consumers.books.start-at=earliest",
              "posthorn.consumers.books.threads=2")) {
        comesBack(app);
      }
    }
  }

  @Test
  void a_message_goes_through_rabbitmq_with_the_applications_own_settings() throws Exception {
    try (EmbeddedRabbitMq rabbit = EmbeddedRabbitMq.builder().start()) {
      ConnectionFactory factory = new ConnectionFactory();
      factory.setPort(rabbit.port());
      try (var connection = factory.newConnection();
          var channel = connection.createChannel()) {
        channel.exchangeDeclare("shop", "topic", true);
        channel.queueDeclare("payments", true, false, false, Map.of("x-queue-type", "quorum"));
        channel.queueBind("payments", "shop", "order.Paid");
      }
      try (App app =
          App.start(
              Shop.class,
              "spring.rabbitmq.addresses=amqp://guest:guest@127.0.0.1:" + rabbit.port(),
              "posthorn.destinations.payments.types=Paid",
              "posthorn.destinations.payments.rabbitmq.exchange=shop",
              "posthorn.destinations.payments.rabbitmq.routing-key=order.{type}",
              "posthorn.sources.payments.rabbitmq.queue=payments")) {
        comesBack(app);
      }
    }
  }

  @Test
  void a_message_goes_to_a_webhook() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String type = exchange.getRequestHeaders().getFirst("ce-type");
          // A request without a type is the connector's check of the endpoint.
          if (type != null) {
            SEEN.add(exchange.getRequestURI().getPath() + " " + type);
          }
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    server.start();
    try (App app =
        App.start(
            Sender.class,
            "posthorn.destinations.partner.types=*",
            "posthorn.destinations.partner.webhook.url=http://127.0.0.1:%d/hooks/{type}"
                .formatted(server.getAddress().getPort()),
            "posthorn.destinations.partner.webhook.unsigned=true",
            "posthorn.destinations.partner.webhook.plain-http=true",
            "posthorn.destinations.partner.webhook.allow-networks=127.0.0.0/8")) {
      app.inTransaction(tx -> app.outbox().add(new Paid("7", 70)));

      await().untilAsserted(() -> assertThat(SEEN).containsExactly("/hooks/Paid Paid"));
    } finally {
      server.stop(0);
    }
  }

  private static void comesBack(App app) {
    app.inTransaction(tx -> app.outbox().add(new Paid("7", 70)));

    await().untilAsserted(() -> assertThat(SEEN).containsExactly("7 70 from /shop"));
  }
}
