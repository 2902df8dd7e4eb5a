package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.posthorn.core.connector.Connector;
import io.posthorn.core.connector.Finding;
import io.posthorn.core.connector.Outcome;
import io.posthorn.core.message.Message;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a connector does with messages while its server works. */
public abstract class SendingContract extends ConnectorTopic {
  @Test
  void a_message_arrives_with_all_its_fields() {
    byte[] binary = new byte[100_000];
    new Random(7).nextBytes(binary);
    List<Message> messages =
        List.of(
            Message.of("order.Placed/v1")
                .key("Order", "Ä-42 €/😀")
                .json("{\"name\":\"Žluťoučký kůň 😀\"}".getBytes(UTF_8))
                .correlationId("c-1")
                .causationId("c-0")
                .schemaVersion(3)
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header("x-tenant", "north \"1\" 100%")
                .build(),
            Message.of("Binary").key("Blob", "b").payload(binary, "application/x-thing").build(),
            Message.of("Empty").key("Blob", "e").payload(new byte[0], "text/plain").build(),
            Message.of("Unkeyed").json("[]".getBytes(UTF_8)).build());
    assertSent(connect(), messages.toArray(Message[]::new));
    await().untilAsserted(() -> assertThat(arrivedIds()).containsAll(ids(messages)));
    for (Message arrived : server().arrived()) {
      Message sent = messages.get(messages.indexOf(arrived));
      assertThat(arrived.type()).isEqualTo(sent.type());
      assertThat(arrived.key()).isEqualTo(sent.key());
      assertThat(arrived.payload()).isEqualTo(sent.payload());
      assertThat(arrived.contentType()).isEqualTo(sent.contentType());
      assertThat(arrived.schemaVersion()).isEqualTo(sent.schemaVersion());
      assertThat(arrived.headers()).containsAllEntriesOf(sent.headers());
    }
  }

  @Test
  void every_message_is_answered_once_and_arrives_once() {
    List<Message> messages = numbered(1_000);
    Connector connector = connect();
    int most = Math.min(connector.maxInFlight(), messages.size());
    for (int from = 0; from < messages.size(); from += most) {
      List<Message> some = messages.subList(from, Math.min(from + most, messages.size()));
      ConnectorCalls call = ConnectorCalls.send(connector, some).answered(soon());
      assertThat(call.outcomes()).containsOnly(Outcome.SENT);
    }
    await()
        .untilAsserted(
            () -> assertThat(arrivedIds()).containsExactlyInAnyOrderElementsOf(ids(messages)));
  }

  @Test
  void a_message_that_is_too_large_is_rejected_alone() {
    needs(ConnectorFixture.Ability.REFUSE_LARGE);
    assertRejectedAlone(server().tooLarge());
  }

  @Test
  void a_message_that_the_receiver_refuses_is_rejected_alone() {
    needs(ConnectorFixture.Ability.REFUSE);
    assertRejectedAlone(server().refused());
  }

  private void assertRejectedAlone(Message bad) {
    Connector connector = connect();
    ConnectorCalls call =
        ConnectorCalls.send(connector, keyed("a", "a"), bad, keyed("b", "b")).answered(soon());
    assertThat(call.outcome(bad)).isInstanceOf(Outcome.Rejected.class);
    assertThat(call.sent()).hasSize(2);
    assertThat(arrivedIds()).doesNotContain(bad.id());
    assertSent(connector, keyed("a", "after"));
  }

  @Test
  void a_check_of_a_working_destination_finds_no_problem_and_sends_nothing() {
    assertThat(connect().check()).noneMatch(Finding::problem);
    assertThat(server().arrived()).isEmpty();
  }

  @Test
  void closing_does_not_hang_and_nothing_is_answered_twice() {
    Connector connector = connect();
    ConnectorCalls call = ConnectorCalls.send(connector, numbered(200));
    long start = System.nanoTime();
    connector.close();
    connector.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(soon());
    call.assertAnsweredOnce();
    await().untilAsserted(() -> assertThat(arrivedIds()).containsAll(ids(call.sent())));
  }

  @Test
  void a_message_after_closing_is_not_sent_and_counts_as_unavailable() {
    Connector connector = connect();
    connector.close();
    Message late = keyed("a", "late");
    ConnectorCalls call = ConnectorCalls.send(connector, late).answered(soon());
    assertThat(call.outcome(late)).isInstanceOf(Outcome.Unavailable.class);
  }

  private static List<Message> numbered(int count) {
    return IntStream.range(0, count).mapToObj(i -> keyed("k" + i, "content " + i)).toList();
  }
}
