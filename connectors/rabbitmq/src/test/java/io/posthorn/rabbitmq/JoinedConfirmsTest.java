package io.posthorn.rabbitmq;

import static io.posthorn.testkit.TestMessages.keyed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import io.posthorn.envelope.EnvelopeFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A confirm of several messages covers all messages up to its sequence number, inclusive. */
class JoinedConfirmsTest {
  private static final List<Message> SIX =
      IntStream.rangeClosed(1, 6).mapToObj(i -> keyed("k" + i, "content " + i)).toList();

  private final ScriptedBroker broker = new ScriptedBroker();
  private final RabbitMqConnector connector =
      new RabbitMqConnector(
          RabbitMqConfig.to("127.0.0.1:" + broker.port(), EnvelopeFormat.cloudEvents("/tests"))
              .unencrypted()
              .credentials(() -> new Credentials("guest", "guest"))
              .routingKey("anywhere")
              .timeout(Duration.ofMinutes(1))
              .build());

  /** Outcomes by the messages' numbers, from 1. */
  private final Map<Integer, Outcome> answers = new ConcurrentSkipListMap<>();

  JoinedConfirmsTest() throws IOException {}

  @BeforeEach
  void publish() throws InterruptedException {
    connector.send(SIX, (index, outcome) -> answers.put(index + 1, outcome));
    broker.awaitPublished(SIX.size());
  }

  @AfterEach
  void close() throws IOException {
    connector.close();
    broker.close();
  }

  /**
   * The broker keeps its confirms in order, so a later answer shows that an earlier one is missing.
   */
  @Test
  void a_joined_confirm_answers_all_up_to_its_number_and_none_after_it() throws IOException {
    broker.ack(3, true);
    broker.ack(6, false);
    await().until(() -> answers.containsKey(6));
    assertThat(answers).containsOnlyKeys(1, 2, 3, 6);
    broker.ack(5, true);
    await().untilAsserted(() -> assertThat(answers).hasSize(6));
    assertThat(answers.values()).containsOnly(Outcome.SENT);
  }

  @Test
  void a_joined_refusal_answers_all_up_to_its_number_and_none_after_it() throws IOException {
    broker.ack(1, false);
    broker.nack(4, true);
    broker.ack(6, false);
    await().until(() -> answers.containsKey(6));
    assertThat(answers).containsOnlyKeys(1, 2, 3, 4, 6);
    assertThat(answers).containsEntry(1, Outcome.SENT).containsEntry(6, Outcome.SENT);
    assertThat(List.of(answers.get(2), answers.get(3), answers.get(4)))
        .allMatch(
            outcome ->
                outcome instanceof Outcome.Failed failed
                    && failed.reason().code().equals(ConnectionFailures.NACKED));
  }

  @Test
  void what_a_joined_confirm_did_not_reach_is_not_sent_when_the_connection_ends()
      throws IOException {
    broker.ack(4, true);
    await().until(() -> answers.containsKey(4));
    broker.close();
    await().untilAsserted(() -> assertThat(answers).hasSize(6));
    assertThat(answers.entrySet().stream().filter(e -> e.getValue() == Outcome.SENT))
        .extracting(Map.Entry::getKey)
        .containsExactly(1, 2, 3, 4);
  }
}
