package io.posthorn.testkit;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.posthorn.core.connector.Finding;
import io.posthorn.core.message.Message;
import io.posthorn.core.source.Feed;
import io.posthorn.core.source.Received;
import io.posthorn.core.source.Unreadable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a source does with messages while its server works. */
public abstract class FeedContract extends SourceTopic {
  @Test
  void a_message_is_received_with_all_its_fields() throws InterruptedException {
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
                .occurredAt(Instant.parse("2026-01-02T03:04:05.678Z"))
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header("x-tenant", "north \"1\" 100%")
                .build()
                .withSequence(77),
            Message.of("Binary").key("Blob", "b").payload(binary, "application/x-thing").build(),
            Message.of("Empty").key("Blob", "e").payload(new byte[0], "text/plain").build(),
            Message.of("Unkeyed").json("[]".getBytes(UTF_8)).build());
    server().send(messages);
    for (Received received : handle(open(), messages, RECOVERY)) {
      Message arrived = received.message();
      Message sent = messages.get(messages.indexOf(arrived));
      assertThat(received.sender()).isEqualTo(SourceFixture.SENDER);
      assertThat(arrived.type()).isEqualTo(sent.type());
      assertThat(arrived.key()).isEqualTo(sent.key());
      assertThat(arrived.payload()).isEqualTo(sent.payload());
      assertThat(arrived.contentType()).isEqualTo(sent.contentType());
      assertThat(arrived.schemaVersion()).isEqualTo(sent.schemaVersion());
      assertThat(arrived.occurredAt()).isEqualTo(sent.occurredAt());
      assertThat(arrived.sequence()).isEqualTo(sent.sequence());
      assertThat(arrived.headers()).containsAllEntriesOf(sent.headers());
    }
  }

  @Test
  void messages_of_a_key_are_received_once_and_in_their_order() throws InterruptedException {
    List<Message> messages = sent(2_000, 20);
    List<Received> received = handle(open(), messages, RECOVERY);
    assertThat(idsOf(received)).containsExactlyInAnyOrderElementsOf(ids(messages));
    assertOrder(received, messages);
  }

  @Test
  void no_more_messages_are_polled_than_asked_for() throws InterruptedException {
    List<Message> messages = sent(30, 3);
    Feed feed = open();
    List<Received> received = new ArrayList<>();
    long until = System.nanoTime() + RECOVERY.toNanos();
    while (received.size() < messages.size() && System.nanoTime() < until) {
      List<Received> some = poll(feed, 7);
      assertThat(some).hasSizeLessThanOrEqualTo(7);
      feed.acknowledge(some);
      received.addAll(some);
    }
    assertThat(idsOf(received)).containsExactlyInAnyOrderElementsOf(ids(messages));
    assertOrder(received, messages);
  }

  @Test
  void a_message_as_large_as_it_may_be_is_received() throws InterruptedException {
    List<Message> messages = List.of(TestMessages.sized(server().largest()));
    server().send(messages);
    List<Received> received = handle(open(), messages, RECOVERY);
    assertThat(received.get(0).message().payload()).isEqualTo(messages.get(0).payload());
  }

  @Test
  void an_unreadable_message_is_received_as_unreadable_and_stops_nothing()
      throws InterruptedException {
    byte[] noise = {0, -1, '{', 7};
    server().sendRaw(noise, Map.of());
    server().sendRaw(noise, Map.of("content-type", "application/cloudevents+json"));
    server().sendRaw(new byte[0], Map.of("x", "\u0000y"));
    List<Message> after = sent(5, 1);
    Feed feed = open();
    List<Received> received = new ArrayList<>();
    long until = System.nanoTime() + RECOVERY.toNanos();
    while (received.size() < 8 && System.nanoTime() < until) {
      List<Received> some = poll(feed, 10);
      feed.acknowledge(some);
      received.addAll(some);
    }
    assertThat(idsOf(received)).containsAll(ids(after));
    List<Message> unreadable =
        received.stream()
            .map(Received::message)
            .filter(message -> Unreadable.reason(message).isPresent())
            .toList();
    assertThat(unreadable).hasSize(3);
    assertThat(unreadable).extracting(Message::payload).contains(noise);
  }

  @Test
  void a_check_of_a_working_source_finds_no_problem_and_receives_nothing()
      throws InterruptedException {
    List<Message> messages = sent(3, 1);
    assertThat(server().source().check(consumer)).noneMatch(Finding::problem);
    assertThat(idsOf(handle(open(), messages, RECOVERY))).isEqualTo(ids(messages));
    assertThat(server().source().check(consumer)).noneMatch(Finding::problem);
  }
}
