package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.keyed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageIds;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Source;
import io.posthorn.envelope.EnvelopeReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Behaviour specific to RabbitMQ; the contract covers the rest. */
class RabbitMqSourceTest {
  private static final Duration TICK = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final RabbitMqSourceFixture rabbit = new RabbitMqSourceFixture();

  @AfterEach
  void close() {
    rabbit.close();
  }

  private RabbitMqSourceConfig.Builder config() {
    return RabbitMqSourceFixture.config(rabbit.proxy.port(), rabbit.topology.queue);
  }

  private void declare(boolean durable, Map<String, Object> arguments) {
    rabbit.removeAddress();
    rabbit.topology.run(
        channel -> channel.queueDeclare(rabbit.topology.queue, durable, false, false, arguments));
    rabbit.topology.bind("things");
  }

  private static List<String> problems(Source source) {
    return source.check("shop").stream().filter(Finding::problem).map(Finding::name).toList();
  }

  private static List<Received> receive(Feed feed, int count) throws InterruptedException {
    long until = System.nanoTime() + PATIENCE.toNanos();
    List<Received> received = new ArrayList<>();
    while (received.size() < count && System.nanoTime() < until) {
      received.addAll(feed.poll(100, TICK));
    }
    assertThat(received).hasSize(count);
    return received;
  }

  @ParameterizedTest
  @CsvSource({
    "x-message-ttl, 60000, EXPIRY",
    "x-expires, 60000, EXPIRY",
    "x-max-length, 1000, LENGTH_LIMIT",
    "x-max-length-bytes, 100000, LENGTH_LIMIT",
    "x-delivery-limit, 5, DELIVERY_LIMIT"
  })
  void settings_by_which_messages_vanish_silently_are_reported(
      String name, int value, String problem) {
    declare(
        true,
        name.equals("x-delivery-limit")
            ? Map.of(name, value, "x-queue-type", "quorum")
            : Map.of(name, value, "x-dead-letter-exchange", "elsewhere"));
    assertThat(problems(rabbit.source())).containsExactly(problem);
    assertThat(rabbit.source().check("shop"))
        .anyMatch(finding -> finding.text().contains(Integer.toString(value)));
  }

  @Test
  void several_settings_are_reported_together_and_harmless_ones_are_not() {
    declare(true, Map.of("x-message-ttl", 1_000, "x-max-length", 7, "x-max-priority", 3));
    assertThat(problems(rabbit.source())).containsExactly("EXPIRY", "LENGTH_LIMIT");
    declare(true, Map.of("x-max-length", 7, "x-overflow", "reject-publish"));
    assertThat(problems(rabbit.source())).isEmpty();
    declare(false, Map.of());
    assertThat(problems(rabbit.source())).containsExactly("NOT_DURABLE");
  }

  @Test
  void a_default_limit_of_newer_brokers_is_known() {
    Map<String, String> quorum = Map.of("queue-type", "quorum");
    assertThat(new LossySettings(quorum, "4.0.1").findings())
        .extracting(Finding::name)
        .containsExactly("DELIVERY_LIMIT");
    assertThat(new LossySettings(quorum, "3.13.7").findings()).isEmpty();
    assertThat(new LossySettings(Map.of("queue-type", "classic"), "4.1.0").findings()).isEmpty();
    assertThat(
            new LossySettings(Map.of("queue-type", "quorum", "delivery-limit", "-1"), "4.0.1")
                .findings())
        .isEmpty();
  }

  @Test
  void a_check_makes_no_queue() {
    rabbit.removeAddress();
    assertThat(problems(rabbit.source())).containsExactly("NO_ADDRESS");
    assertThat(problems(rabbit.source())).containsExactly("NO_ADDRESS");
    rabbit.restoreAddress();
  }

  @Test
  void missing_rights_and_unreadable_settings_are_reported() {
    rabbit.server.control("add_user", "reader", "secret");
    try {
      RabbitMqSource source =
          new RabbitMqSource(
              config().credentials(() -> new Credentials("reader", "secret")).build());
      assertThat(problems(source)).containsExactly("ACCESS_DENIED");
      rabbit.server.control("set_permissions", "reader", "", ".*", "");
      assertThat(problems(source)).containsExactly("ACCESS_DENIED");
      rabbit.server.control("set_permissions", "reader", "", "", ".*");
      assertThat(source.check("shop"))
          .noneMatch(Finding::problem)
          .anyMatch(
              finding ->
                  finding.name().equals(SourceCheck.SETTINGS)
                      && finding.text().startsWith("not checked"));
    } finally {
      rabbit.server.control("delete_user", "reader");
    }
  }

  @Test
  void several_consumers_are_reported_unless_only_one_is_active() throws InterruptedException {
    for (boolean single : new boolean[] {false, true}) {
      declare(true, Map.of("x-single-active-consumer", single));
      try (Feed one = rabbit.source().open("shop");
          Feed two = rabbit.source().open("shop")) {
        one.poll(1, TICK);
        two.poll(1, TICK);
        assertThat(rabbit.source().check("shop").stream().map(Finding::name).toList())
            .matches(names -> names.contains("ORDER") != single);
      }
    }
  }

  @Test
  void repeats_are_marked_and_counted() throws InterruptedException {
    declare(true, Map.of("x-queue-type", "quorum"));
    Source source = rabbit.source();
    rabbit.send(List.of(keyed("k", "1")));
    try (Feed feed = source.open("shop")) {
      assertThat(receive(feed, 1).get(0).redelivered()).isFalse();
      rabbit.cut();
      assertThat(receive(feed, 1).get(0).redelivered()).isTrue();
    }
    assertThat(source.check("shop")).anyMatch(finding -> finding.name().equals("REPEATED"));
  }

  @Test
  void a_channel_that_the_broker_closes_for_holding_on_too_long_is_opened_again()
      throws InterruptedException {
    rabbit.server.control("eval", "application:set_env(rabbit, consumer_timeout, 1000).");
    rabbit.server.control("eval", "application:set_env(rabbit, channel_tick_interval, 500).");
    try (Feed feed = rabbit.source().open("shop")) {
      rabbit.send(IntStream.range(0, 5).mapToObj(i -> keyed("k", "" + i)).toList());
      List<Received> received = receive(feed, 5);
      List<Received> kept = received;
      long until = System.nanoTime() + PATIENCE.toNanos();
      while (!kept.isEmpty() && System.nanoTime() < until) {
        kept = feed.keep(kept, Duration.ofSeconds(1));
      }
      assertThat(kept).isEmpty();
      feed.acknowledge(received);
      List<Received> again = receive(feed, 5);
      assertThat(again.stream().map(Received::message))
          .containsExactlyElementsOf(received.stream().map(Received::message).toList());
      feed.acknowledge(again);
    } finally {
      rabbit.server.control("eval", "application:set_env(rabbit, consumer_timeout, 1800000).");
      rabbit.server.control("eval", "application:set_env(rabbit, channel_tick_interval, 60000).");
    }
  }

  @Test
  void a_message_that_could_not_be_received_because_of_an_error_is_reported_and_comes_again()
      throws InterruptedException {
    AtomicBoolean broken = new AtomicBoolean(true);
    DeliveryCounts breaking =
        new DeliveryCounts() {
          @Override
          void record(Map<String, Object> headers) {
            if (broken.getAndSet(false)) {
              throw new OutOfMemoryError("as if");
            }
          }
        };
    rabbit.send(List.of(keyed("k", "1")));
    try (Feed feed = new RabbitMqFeed(config().build(), "the queue", "shop", breaking)) {
      assertThatThrownBy(() -> receive(feed, 1))
          .isInstanceOf(PosthornException.class)
          .hasMessageContainingAll(
              "POSTHORN-047", "the queue", "'shop'", "OutOfMemoryError: as if");
      Received again = receive(feed, 1).get(0);
      assertThat(again.redelivered()).isTrue();
      feed.acknowledge(List.of(again));
    }
  }

  @Test
  void no_more_than_the_prefetch_is_held() throws InterruptedException {
    rabbit.send(IntStream.range(0, 50).mapToObj(i -> keyed("k", "" + i)).toList());
    try (Feed feed = new RabbitMqSource(config().prefetch(7).build()).open("shop")) {
      List<Received> received = receive(feed, 7);
      assertThat(feed.poll(100, TICK)).isEmpty();
      feed.acknowledge(received.subList(3, 5));
      assertThat(receive(feed, 2)).hasSize(2);
    }
  }

  @Test
  void plain_messages_of_others_are_read_with_what_the_protocol_knows()
      throws InterruptedException {
    AMQP.BasicProperties properties =
        new AMQP.BasicProperties.Builder()
            .messageId("m-1")
            .type("Placed")
            .correlationId("c")
            .contentType("text/plain")
            .timestamp(Date.from(Instant.ofEpochMilli(1_700_000_000_000L)))
            .headers(
                Map.of(
                    "n",
                    7,
                    "list",
                    Arrays.asList(1, "a"),
                    "time",
                    Date.from(Instant.EPOCH),
                    "b",
                    new byte[] {-1}))
            .build();
    rabbit.publish(properties, "hello".getBytes(UTF_8));
    Source source =
        new RabbitMqSource(
            RabbitMqSourceConfig.from(
                    "127.0.0.1:" + rabbit.proxy.port(),
                    rabbit.topology.queue,
                    EnvelopeReader.plainByHeader("type"))
                .unencrypted()
                .credentials(() -> new Credentials("guest", "guest"))
                .build());
    try (Feed feed = source.open("shop")) {
      Received received = receive(feed, 1).get(0);
      Message message = received.message();
      assertThat(received.sender()).isEqualTo(rabbit.topology.queue);
      assertThat(message.id()).isEqualTo(MessageIds.of(rabbit.topology.queue, "m-1"));
      assertThat(message.type()).isEqualTo("Placed");
      assertThat(message.occurredAt().toEpochMilli()).isEqualTo(1_700_000_000_000L);
      assertThat(message.headers())
          .containsEntry("correlation-id", "c")
          .containsEntry("n", "7")
          .containsEntry("time", "1970-01-01T00:00:00Z")
          .containsEntry("b-base64", "/w==")
          .containsKey("list");
    }
  }

  @Test
  void all_problems_of_a_configuration_are_reported_at_once() {
    assertThatThrownBy(
            () ->
                RabbitMqSourceConfig.from("one:x", " ", EnvelopeReader.cloudEvents())
                    .virtualHost("")
                    .prefetch(0)
                    .connectTimeout(Duration.ZERO)
                    .management("ftp://x")
                    .build())
        .isInstanceOf(PosthornException.class)
        .hasMessageContainingAll(
            "'one:x'",
            "queue",
            "virtualHost",
            "either tls or unencrypted",
            "prefetch",
            "connectTimeout",
            "management",
            "credentials are missing");
  }
}
