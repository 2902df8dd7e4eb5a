package io.posthorn.testkit;

import static io.posthorn.testkit.TestMessages.keyed;
import static io.posthorn.testkit.TestMessages.message;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.posthorn.core.error.ErrorCode;
import io.posthorn.core.error.PosthornException;
import io.posthorn.core.message.Message;
import io.posthorn.core.message.MessageType;
import io.posthorn.core.message.MessageTypes;
import io.posthorn.core.outbox.Outbox;
import io.posthorn.core.store.Batch;
import io.posthorn.core.store.Delivery;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** A message is stored in the caller's transaction, as it is. */
public abstract class AppendContract extends Contract {
  @Test
  void a_committed_message_is_delivered() {
    TestLane shop = serve(SHOP);
    commit(message("a"));
    assertThat(shop.drain()).containsExactly("a");
  }

  @Test
  void a_rolled_back_message_never_existed() {
    TestLane shop = serve(SHOP);
    begin().add(message("a")).rollback();
    commit(message("b"));
    assertThat(shop.drain()).containsExactly("b");
  }

  @Test
  void a_rolled_back_savepoint_takes_only_its_own_messages() throws SQLException {
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      tx.add(message("before"));
      Savepoint savepoint = tx.connection().setSavepoint();
      tx.add(message("undone"));
      tx.connection().rollback(savepoint);
      tx.add(message("after")).commit();
    }
    assertThat(shop.drain()).containsExactly("before", "after");
  }

  @Test
  void adding_neither_commits_nor_closes_the_connection() throws SQLException {
    try (OpenTransaction tx = begin()) {
      tx.add(message("a"), message("b"));
      assertThat(tx.connection().isClosed()).isFalse();
      assertThat(tx.connection().getAutoCommit()).isFalse();
      assertThat(db().logged()).isEmpty();
    }
  }

  @Test
  void many_messages_of_one_call_keep_their_order() {
    TestLane shop = serve(SHOP);
    List<String> contents = IntStream.range(0, 2_500).mapToObj(String::valueOf).toList();
    commit(contents.stream().map(c -> keyed("k", c)).toArray(Message[]::new));
    assertThat(shop.drain()).isEqualTo(contents);
  }

  @Test
  void every_field_of_a_message_arrives() {
    TestLane shop = serve(SHOP);
    Message first = full("1").build();
    Message second = Message.of("Other").build();
    commit(first);
    commit(second, full("3").build());
    Batch batch = shop.batch();
    assertSame(batch.deliveries().get(0), first);
    assertSame(batch.deliveries().get(1), second);
    assertThat(batch.deliveries().get(1).message().key()).isNull();
    assertThat(batch.deliveries().get(2).message().headers()).isEqualTo(first.headers());
  }

  private static Message.Builder full(String content) {
    return Message.of("OrderPlaced")
        .schemaVersion(7)
        .key("Order", "o-1")
        .payload(content.getBytes(UTF_8), "text/plain")
        .correlationId("c-1")
        .causationId("c-0")
        .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
        .occurredAt(Instant.parse("2024-02-29T23:59:59.123456Z"))
        .notBefore(Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MICROS));
  }

  private static void assertSame(Delivery delivery, Message message) {
    Message arrived = delivery.message();
    assertThat(arrived.id()).isEqualTo(message.id());
    assertThat(arrived.type()).isEqualTo(message.type());
    assertThat(arrived.schemaVersion()).isEqualTo(message.schemaVersion());
    assertThat(arrived.key()).isEqualTo(message.key());
    assertThat(arrived.payload()).isEqualTo(message.payload());
    assertThat(arrived.contentType()).isEqualTo(message.contentType());
    assertThat(arrived.headers()).isEqualTo(message.headers());
    assertThat(arrived.occurredAt())
        .isCloseTo(
            message.occurredAt(), org.assertj.core.api.Assertions.within(1, ChronoUnit.MICROS));
    assertThat(arrived.notBefore()).isEqualTo(message.notBefore());
    assertThat(delivery.recordedAt())
        .isCloseTo(Instant.now(), org.assertj.core.api.Assertions.within(1, ChronoUnit.MINUTES));
    assertThat(delivery.attempts()).isZero();
    assertThat(delivery.parked()).isFalse();
  }

  @Test
  void a_message_and_a_changed_copy_of_it_are_not_added_in_one_call() {
    Outbox outbox = Outbox.on(store(), MessageTypes.named("T")).build();
    Message message = Message.of("T").json("1".getBytes(UTF_8)).build();
    Message copy = message.withPayload("2".getBytes(UTF_8));
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      assertRefused(
          ErrorCode.DUPLICATE_ID, () -> outbox.add(tx.connection(), List.of(message, copy)));
      outbox.add(tx.connection(), message);
      tx.commit();
    }
    assertThat(shop.drain()).containsExactly("1");
  }

  @Test
  void one_refused_message_refuses_its_whole_call_and_the_transaction_goes_on() {
    MessageTypes types =
        MessageTypes.of(
            MessageType.named("T"),
            MessageType.named("Checked").check(m -> Optional.of("it is never right")));
    Outbox outbox = Outbox.on(store(), types).build();
    Map<ErrorCode, Message> bad =
        Map.of(
            ErrorCode.TYPE_NOT_REGISTERED, Message.of("Unknown").build(),
            ErrorCode.INVALID_MESSAGE, Message.of("T").key("k", "a\0b").build(),
            ErrorCode.PAYLOAD_TOO_LARGE, Message.of("T").json(new byte[2_000_000]).build(),
            ErrorCode.TOO_LONG, Message.of("T").key("k", "x".repeat(256)).build(),
            ErrorCode.REFUSED_BY_VALIDATOR, Message.of("Checked").build());
    Message good = Message.of("T").json("good".getBytes(UTF_8)).build();
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      bad.forEach(
          (code, message) -> {
            assertRefused(code, () -> outbox.add(tx.connection(), message));
            assertRefused(code, () -> outbox.add(tx.connection(), List.of(good, message, good)));
          });
      outbox.add(tx.connection(), good);
      tx.commit();
    }
    assertThat(shop.drain()).containsExactly("good");
  }

  @Test
  void the_key_id_of_an_encrypted_payload_arrives() {
    TestLane shop = serve(SHOP);
    try (OpenTransaction tx = begin()) {
      store().append(tx.connection(), List.of(message("one")), List.of("key-1"), false);
      store()
          .append(
              tx.connection(),
              List.of(message("two"), message("three")),
              List.of("", "key-3"),
              false);
      tx.commit();
    }
    assertThat(shop.batch().deliveries())
        .extracting(Delivery::cipherKey)
        .containsExactly("key-1", null, "key-3");
  }

  @Test
  void messages_are_added_at_every_isolation_level() {
    TestLane shop = serve(SHOP);
    for (String level : List.of("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")) {
      try (OpenTransaction tx = begin().set("ISOLATION LEVEL " + level)) {
        tx.add(message(level)).commit();
      }
    }
    assertThat(shop.drain()).hasSize(3);
  }

  @Test
  void adding_in_a_failed_transaction_is_refused() throws SQLException {
    try (OpenTransaction tx = begin();
        Statement statement = tx.connection().createStatement()) {
      assertThatThrownBy(() -> statement.execute("this is no SQL"))
          .isInstanceOf(SQLException.class);
      assertRefused(ErrorCode.TRANSACTION_ABORTED, () -> tx.add(message("a")));
    }
  }

  @Test
  void adding_in_a_read_only_transaction_is_refused() {
    try (OpenTransaction tx = begin().set("READ ONLY")) {
      assertRefused(ErrorCode.STANDBY, () -> tx.add(message("a")));
    }
  }

  static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(PosthornException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageStartingWith(code.text());
  }
}
