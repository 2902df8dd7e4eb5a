package io.posthorn.kafka;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static io.posthorn.testkit.TestMessages.typed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The Kafka record of a message. */
class RecordTest {
  private final String topic = Broker.topic();
  private final Reader reader = new Reader(Broker.KAFKA.bootstrapServers(), topic);

  @AfterEach
  void close() {
    reader.close();
  }

  private ConsumerRecord<byte[], byte[]> sent(KafkaConfig.Builder config, Message message) {
    assertThat(Sent.once(config, message)).isEqualTo(Outcome.SENT);
    List<ConsumerRecord<byte[], byte[]>> records = reader.records();
    return records.get(records.size() - 1);
  }

  @Test
  void a_message_is_a_cloud_event_in_binary_mode() {
    Message order =
        Message.of("OrderPlaced").key("Order", "o-1").json("{}".getBytes(UTF_8)).build();
    Map<String, String> headers = Reader.headers(sent(Sent.to(topic), order));
    assertThat(headers)
        .containsEntry("ce_specversion", "1.0")
        .containsEntry("ce_id", order.id().toString())
        .containsEntry("ce_source", "/tests")
        .containsEntry("ce_type", "OrderPlaced")
        .containsEntry("ce_subject", "o-1")
        .containsEntry("content-type", "application/json");
  }

  @Test
  void servers_a_topic_and_a_sender_are_enough() {
    try (KafkaConnector connector =
        KafkaConnector.to(Broker.KAFKA.bootstrapServers(), topic, "/shop/orders")) {
      assertThat(Sent.once(connector, keyed("OrderPlaced", "o-1")))
          .isInstanceOf(Outcome.Sent.class);
    }
    assertThat(Reader.headers(reader.records().get(0))).containsEntry("ce_source", "/shop/orders");
  }

  @Test
  void a_key_decides_the_partition_as_for_every_kafka_client() {
    for (String key : List.of("a", "b", "c", "o-42", "Ä €")) {
      ConsumerRecord<byte[], byte[]> read = sent(Sent.to(topic), keyed(key, "m"));
      byte[] bytes = key.getBytes(UTF_8);
      assertThat(read.key()).isEqualTo(bytes);
      assertThat(read.partition()).isEqualTo(Utils.toPositive(Utils.murmur2(bytes)) % 4);
    }
  }

  @Test
  void a_function_can_choose_the_partition_and_an_unknown_partition_is_rejected() {
    KafkaConfig.Builder third = Sent.to(topic).partition((message, partitions) -> partitions - 2);
    assertThat(sent(third, keyed("a", "m")).partition()).isEqualTo(2);
    for (int wrong : new int[] {-1, 4}) {
      KafkaConfig.Builder none = Sent.to(topic).partition((message, partitions) -> wrong);
      assertThat(Sent.text(Sent.once(none, keyed("a", "m")))).isEqualTo("Rejected INVALID_ADDRESS");
    }
  }

  @Test
  void a_tombstone_has_a_key_and_no_value_and_nothing_else_becomes_one() {
    KafkaConfig.Builder config =
        Sent.to(topic).tombstones(message -> message.type().equals("Erased"));
    Message erased = Message.of("Erased").key("Customer", "c").build();
    ConsumerRecord<byte[], byte[]> read = sent(config, erased);
    assertThat(read.key()).isEqualTo("c".getBytes(UTF_8));
    assertThat(read.value()).isNull();
    assertThat(Reader.headers(read)).containsEntry("ce_type", "Erased");
    Message empty = Message.of("Empty").key("Customer", "c").build();
    assertThat(sent(config, empty).value()).isEmpty();
    assertThat(Sent.text(Sent.once(config, typed("Erased", ""))))
        .isEqualTo("Rejected INVALID_RECORD");
  }

  @Test
  void a_plain_message_is_its_payload_and_headers_and_nothing_more() {
    KafkaConfig.Builder plain =
        KafkaConfig.to(Broker.KAFKA.bootstrapServers(), topic, EnvelopeFormat.PLAIN);
    Message order = Message.of("T").json("{}".getBytes(UTF_8)).header("x-tenant", "north").build();
    ConsumerRecord<byte[], byte[]> read = sent(plain, order);
    assertThat(read.value()).isEqualTo("{}".getBytes(UTF_8));
    assertThat(Reader.headers(read))
        .containsOnly(
            Map.entry("x-tenant", "north"), Map.entry("content-type", "application/json"));
  }

  @Test
  void headers_of_the_envelope_are_not_the_application_s() {
    Message forging = Message.of("T").header("ce_id", "x").build();
    assertThat(Sent.text(Sent.once(Sent.to(topic), forging))).isEqualTo("Rejected INVALID_HEADER");
    assertThat(Sent.once(Sent.to(topic), message("m"))).isEqualTo(Outcome.SENT);
  }
}
