package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.sized;
import static io.posthorn.testkit.TestMessages.typed;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages without a valid address, and whether they or the destination are at fault. */
class AddressTest {
  private final RabbitMqFixture rabbit = new RabbitMqFixture();
  private RabbitMqConnector connector;

  @AfterEach
  void close() {
    connector.close();
    rabbit.close();
  }

  private void connect(RabbitMqConfig.Builder config) {
    connector = new RabbitMqConnector(config.build());
  }

  @Test
  void with_an_address_taken_from_the_message_one_without_a_queue_is_rejected_alone() {
    connect(rabbit.config().routingKey("t.{type}"));
    rabbit.topology.bind("t.A");
    assertThat(Sent.all(connector, typed("A", "1"), typed("B", "2"), typed("A", "3")))
        .containsExactly("Sent", "Rejected NO_QUEUE", "Sent");
    assertThat(rabbit.arrived()).hasSize(2);
  }

  @Test
  void with_an_exchange_taken_from_the_message_one_without_it_is_rejected_alone() {
    connect(rabbit.config().exchange("{header.exchange}"));
    Message good =
        Message.of("A").json(new byte[0]).header("exchange", rabbit.topology.exchange).build();
    Message bad = Message.of("A").json(new byte[0]).header("exchange", "none").build();
    Message lacking = Message.of("A").json(new byte[0]).build();
    Message after =
        Message.of("A").json(new byte[0]).header("exchange", rabbit.topology.exchange).build();
    assertThat(Sent.all(connector, good, bad, lacking, after))
        .containsExactly("Sent", "Rejected NO_ADDRESS", "Rejected INVALID_ADDRESS", "Sent");
  }

  @Test
  void a_missing_exchange_is_the_destination_s_fault_and_is_found_when_it_appears() {
    connect(rabbit.config());
    assertThat(Sent.once(connector, message("before"))).isEqualTo("Sent");
    rabbit.topology.deleteExchange();
    assertThat(Sent.all(connector, message("1"), message("2")))
        .containsOnly("Unavailable NO_ADDRESS");
    assertThat(problems()).containsExactly("NO_ADDRESS");
    rabbit.topology.declareExchange();
    rabbit.topology.bind(RabbitMqFixture.KEY);
    assertThat(Sent.once(connector, message("after"))).isEqualTo("Sent");
    assertThat(problems()).isEmpty();
  }

  @Test
  void without_an_exchange_the_routing_key_names_the_queue() {
    connect(direct(rabbit.topology.queue));
    assertThat(problems()).isEmpty();
    assertThat(Sent.once(connector, message("m"))).isEqualTo("Sent");
    assertThat(rabbit.arrived()).hasSize(1);
  }

  @Test
  void a_queue_that_is_missing_is_found_before_anything_is_sent() {
    connect(direct("no-such-queue"));
    assertThat(problems()).containsExactly("NO_QUEUE");
    assertThat(Sent.once(connector, message("m"))).isEqualTo("Unavailable NO_QUEUE");
  }

  /** Sends to the default exchange. */
  private RabbitMqConfig.Builder direct(String queue) {
    return RabbitMqConfig.to(
            "127.0.0.1:" + rabbit.server.port(), EnvelopeFormat.cloudEvents("/tests"))
        .unencrypted()
        .credentials(() -> rabbit.credentials)
        .routingKey(queue);
  }

  @Test
  void a_queue_that_refuses_more_fails_its_own_messages_and_no_other() {
    connect(rabbit.config().routingKey("{key}"));
    String full = "q-" + UUID.randomUUID();
    rabbit.topology.declareQueue(full, Map.of("x-max-length", 1, "x-overflow", "reject-publish"));
    rabbit.topology.bind(full, "full");
    rabbit.topology.bind("free");
    assertThat(Sent.once(connector, keyed("full", "1"))).isEqualTo("Sent");
    assertThat(Sent.all(connector, keyed("free", "2"), keyed("full", "3"), keyed("free", "4")))
        .containsExactly("Sent", "Failed NACKED", "Sent");
    rabbit.topology.run(channel -> channel.queueDelete(full));
  }

  @Test
  void a_message_over_the_broker_s_own_limit_is_rejected_and_the_limit_is_learned() {
    connect(rabbit.config().maxMessageSize(100 << 20));
    Message large = sized(Broker.LARGEST + 1);
    assertThat(Sent.all(connector, large, message("beside")))
        .first()
        .isEqualTo("Rejected TOO_LARGE");
    assertThat(Sent.all(connector, message("a"), sized(Broker.LARGEST + 1), message("b")))
        .containsExactly("Sent", "Rejected TOO_LARGE", "Sent");
  }

  @Test
  void a_missing_right_to_write_is_refused_and_reported_by_the_check() {
    rabbit.server.control("add_user", "reader", "secret");
    rabbit.server.control("set_permissions", "reader", "", "", ".*");
    try {
      connect(rabbit.config().credentials(() -> new Credentials("reader", "secret")));
      assertThat(problems()).containsExactly("ACCESS_DENIED");
      assertThat(Sent.once(connector, message("m"))).isEqualTo("Unavailable ACCESS_DENIED");
      rabbit.server.control("set_permissions", "reader", "", ".*", ".*");
      assertThat(Sent.once(connector, message("m"))).isEqualTo("Sent");
    } finally {
      rabbit.server.control("delete_user", "reader");
    }
  }

  private java.util.List<String> problems() {
    return connector.check().stream().filter(Finding::problem).map(Finding::name).toList();
  }
}
