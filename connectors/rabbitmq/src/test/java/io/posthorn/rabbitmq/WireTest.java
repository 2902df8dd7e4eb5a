package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.GetResponse;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The form in which a receiver gets a message. */
class WireTest {
  private final RabbitMqFixture rabbit = new RabbitMqFixture();

  @AfterEach
  void close() {
    rabbit.close();
  }

  private GetResponse arrives(RabbitMqConfig.Builder config, Message message) {
    try (RabbitMqConnector connector = new RabbitMqConnector(config.build())) {
      assertThat(Sent.once(connector, message)).isEqualTo("Sent");
    }
    return rabbit.topology.arrived().get(0);
  }

  private static Message order() {
    return Message.of("OrderPlaced")
        .key("Order", "42")
        .json("{}".getBytes(UTF_8))
        .correlationId("c-1")
        .header("tenant", "north")
        .build();
  }

  @Test
  void a_message_is_persistent_and_has_its_properties() {
    Message order = order();
    GetResponse arrived = arrives(rabbit.config(), order);
    AMQP.BasicProperties properties = arrived.getProps();
    assertThat(properties.getDeliveryMode()).isEqualTo(2);
    assertThat(properties.getMessageId()).isEqualTo(order.id().toString());
    assertThat(properties.getType()).isEqualTo("OrderPlaced");
    assertThat(properties.getCorrelationId()).isEqualTo("c-1");
    assertThat(properties.getContentType()).isEqualTo("application/json");
    assertThat(properties.getTimestamp().toInstant().getEpochSecond())
        .isEqualTo(order.occurredAt().getEpochSecond());
    assertThat(properties.getHeaders().get("tenant")).hasToString("north");
    assertThat(properties.getHeaders().get("cloudEvents_source")).hasToString("/tests");
    assertThat(arrived.getBody()).isEqualTo(order.payload());
  }

  @Test
  void plain_messages_have_no_headers_but_their_own() {
    RabbitMqConfig.Builder plain =
        RabbitMqConfig.to("127.0.0.1:" + rabbit.server.port(), EnvelopeFormat.PLAIN)
            .unencrypted()
            .credentials(() -> rabbit.credentials)
            .routingKey(rabbit.topology.queue);
    AMQP.BasicProperties properties = arrives(plain, order()).getProps();
    assertThat(properties.getHeaders()).containsOnlyKeys("tenant", "correlation-id");
    assertThat(properties.getType()).isEqualTo("OrderPlaced");
  }

  @Test
  void what_the_protocol_cannot_carry_is_rejected_and_the_count_of_confirms_stays_right() {
    Message longName = Message.of("A").json(new byte[0]).header("n".repeat(256), "value").build();
    Message longHeaders =
        Message.of("A").json(new byte[0]).header("a", "x".repeat(150_000)).build();
    Message longType = Message.of("A").payload(new byte[0], "text/" + "x".repeat(256)).build();
    try (RabbitMqConnector connector = new RabbitMqConnector(rabbit.config().build())) {
      assertThat(
              Sent.all(
                  connector,
                  message("1"),
                  longName,
                  message("2"),
                  longHeaders,
                  longType,
                  message("3")))
          .containsExactly(
              "Sent",
              "Rejected INVALID_HEADER",
              "Sent",
              "Rejected INVALID_HEADER",
              "Rejected INVALID_HEADER",
              "Sent");
    }
    assertThat(rabbit.arrived()).hasSize(3);
  }

  @Test
  void a_routing_key_that_is_too_long_is_rejected() {
    try (RabbitMqConnector connector =
        new RabbitMqConnector(rabbit.config().routingKey("{header.to}").build())) {
      Message far = Message.of("A").json(new byte[0]).header("to", "ä".repeat(128)).build();
      assertThat(Sent.once(connector, far)).isEqualTo("Rejected INVALID_ADDRESS");
    }
  }
}
