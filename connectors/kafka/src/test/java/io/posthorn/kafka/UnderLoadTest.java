package io.posthorn.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.message.Message;
import io.posthorn.core.observe.Event;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Failures specific to Kafka, in a relay that keeps delivering. */
class UnderLoadTest {
  private static final int TRANSACTIONS = 20;

  private final String topic = Broker.topicName();
  private final Random random = new Random(3);

  @Test
  void messages_that_are_too_large_die_alone_and_their_keys_stay_in_order() throws SQLException {
    Broker.create(topic, Map.of("max.message.bytes", "20000"));
    try (Reader reader = new Reader(Broker.KAFKA.bootstrapServers(), topic);
        Load load = new Load(Sent.to(topic).build())) {
      load.write(
          TRANSACTIONS,
          () ->
              List.of(
                  Message.of(Load.POISON)
                      .key("Oracle", Load.anyKey(random))
                      .json(new byte[30_000])
                      .build()));
      load.assertDelivered(reader);
      assertDead(load, "TOO_LARGE");
    }
  }

  @Test
  void keys_stay_in_order_when_a_batch_is_refused_for_one_of_its_messages() throws SQLException {
    Broker.create(topic, Map.of("cleanup.policy", "compact"));
    KafkaConfig config = Sent.to(topic).partition((message, partitions) -> 0).build();
    try (Reader reader = new Reader(Broker.KAFKA.bootstrapServers(), topic);
        Load load = new Load(config)) {
      load.write(TRANSACTIONS, () -> List.of(Message.of(Load.POISON).build()));
      load.assertDelivered(reader);
      assertDead(load, "INVALID_RECORD");
      assertThat(load.failedWith("BATCH_REFUSED")).isTrue();
    }
  }

  private static void assertDead(Load load, String code) {
    await().untilAsserted(() -> assertThat(load.dead()).hasSize(TRANSACTIONS));
    assertThat(load.dead())
        .allSatisfy(dead -> assertThat(dead.delivery().message().type()).isEqualTo(Load.POISON))
        .extracting(Event.Dead::code)
        .containsOnly(code);
  }

  @Test
  void a_wrong_password_and_a_missing_right_cost_nothing() throws Exception {
    AtomicReference<String> password = new AtomicReference<>("expired");
    SecureBroker broker = SecureBroker.shared();
    Broker.create(broker.admin, topic, Map.of());
    broker.allowWriting("writer", topic);
    KafkaConfig config =
        Sent.to(broker.servers(), topic)
            .client(broker::trust)
            .login("writer", password::get)
            .timeout(Duration.ofSeconds(6))
            .build();
    try (Reader reader = new Reader(broker.kafka.bootstrapServers(), topic);
        Load load = new Load(config)) {
      load.write(10);
      load.awaitBreaker(1);
      password.set(SecureBroker.PASSWORD);
      load.assertDelivered(reader);
      broker.forbidWriting("writer", topic);
      load.write(10);
      load.awaitBreaker(2);
      broker.allowWriting("writer", topic);
      load.write(10);
      load.assertDelivered(reader);
      load.assertNobodyBlamed();
    }
  }
}
