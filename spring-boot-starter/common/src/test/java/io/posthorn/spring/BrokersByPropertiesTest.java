package io.posthorn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import com.sun.net.httpserver.HttpServer;
import io.posthorn.core.bus.Handling;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageKey;
import io.posthorn.core.message.OutboxMessage;
import io.posthorn.core.operate.deadletter.DeadLetterQuery;
import io.posthorn.core.operate.deadletter.DeadLetters;
import io.posthorn.testservers.EmbeddedKafka;
import io.posthorn.testservers.EmbeddedRabbitMq;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.ToIntBiFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
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

  @Configuration
  @EnableAutoConfiguration
  static class Choosing {
    @Bean
    ToIntBiFunction<Message, Integer> lastPartition() {
      return (message, partitions) -> partitions - 1;
    }
  }

  @Test
  void a_topic_s_creation_its_partition_and_tombstones_are_properties() throws Exception {
    try (EmbeddedKafka kafka = EmbeddedKafka.builder().start();
        App app =
            App.start(
                Choosing.class,
                "spring.kafka.bootstrap-servers=" + kafka.bootstrapServers(),
                "posthorn.destinations.fixed.types=Noted,OrderChanged",
                "posthorn.destinations.fixed.kafka.topic=fixed",
                "posthorn.destinations.fixed.kafka.create-topic.partitions=3",
                "posthorn.destinations.fixed.kafka.create-topic.replicas=1",
                "posthorn.destinations.fixed.kafka.partition=1",
                "posthorn.destinations.fixed.kafka.tombstones.types=OrderChanged",
                "posthorn.destinations.chosen.types=Noted",
                "posthorn.destinations.chosen.kafka.topic=chosen",
                "posthorn.destinations.chosen.kafka.create-topic.partitions=3",
                "posthorn.destinations.chosen.kafka.create-topic.replicas=1",
                "posthorn.destinations.chosen.kafka.partition=lastPartition")) {
      app.inTransaction(
          tx -> {
            app.outbox().add(Messages.noted("kept"));
            app.outbox().add(Messages.changed("7", "erased"));
          });

      Map<String, Object> client =
          Map.of("bootstrap.servers", kafka.bootstrapServers(), "auto.offset.reset", "earliest");
      try (var consumer =
          new KafkaConsumer<>(client, new StringDeserializer(), new StringDeserializer())) {
        await()
            .atMost(Duration.ofSeconds(60))
            .until(() -> consumer.listTopics().keySet().containsAll(Set.of("fixed", "chosen")));
        List<TopicPartition> all = new ArrayList<>();
        for (int partition = 0; partition < 3; partition++) {
          all.add(new TopicPartition("fixed", partition));
          all.add(new TopicPartition("chosen", partition));
        }
        consumer.assign(all);
        List<String> seen = new ArrayList<>();
        await()
            .atMost(Duration.ofSeconds(60))
            .untilAsserted(
                () -> {
                  consumer
                      .poll(Duration.ofMillis(100))
                      .forEach(
                          one -> seen.add(one.topic() + " " + one.partition() + " " + one.value()));
                  assertThat(seen)
                      .containsExactlyInAnyOrder("fixed 1 kept", "fixed 1 null", "chosen 2 kept");
                });
      }
    }
  }

  @Test
  void a_type_has_settings_of_its_own() throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.sendResponseHeaders(400, -1);
          exchange.close();
        });
    server.start();
    try (App app =
        App.start(
            Sender.class,
            "posthorn.destinations.partner.types=*",
            "posthorn.destinations.partner.by-type.Noted.not-after=1ns",
            "posthorn.destinations.partner.by-type.OrderChanged.after-dead=hold",
            "posthorn.destinations.partner.webhook.url=http://127.0.0.1:%d/hooks"
                .formatted(server.getAddress().getPort()),
            "posthorn.destinations.partner.webhook.unsigned=true",
            "posthorn.destinations.partner.webhook.plain-http=true",
            "posthorn.destinations.partner.webhook.allow-networks=127.0.0.0/8")) {
      app.inTransaction(
          tx -> {
            app.outbox().add(Messages.changed("7", "first"));
            app.outbox().add(Messages.changed("7", "second"));
            app.outbox().add(new Paid("8", 70));
            app.outbox().add(Messages.noted("late"));
          });

      DeadLetters letters = app.bean(DeadLetters.class);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(letters.list(DeadLetterQuery.waiting(), null, 10))
                      .extracting(letter -> letter.type() + " " + letter.reason())
                      .containsExactlyInAnyOrder(
                          "OrderChanged HTTP_400", "Noted EXPIRED", "Paid HTTP_400"));
    } finally {
      server.stop(0);
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
